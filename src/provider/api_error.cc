#include "provider/api_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "base/escape.h"
#include "base/json.h"
#include "base/text.h"
#include "provider/secrets.h"

namespace assay {
namespace {

constexpr size_t kMostMessageBytes = 300;

template <size_t N>
bool has_any(const std::string& text, const std::array<std::string_view, N>& words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.contains(word); });
}

// In lower case, as the servers that there are word it.
constexpr std::array<std::string_view, 12> kTooLong{
    "context_length",  "context length",     "context window",    "context size",
    "maximum context", "prompt is too long", "input is too long", "prompt too long",
    "too many tokens", "request_too_large",  "exceed_context",    "reduce the length"};
constexpr std::array<std::string_view, 4> kFiltered{
    "content_filter", "content_policy", "responsibleaipolicy", "content management policy"};
// Of a prompt, by those who have the status of a wrong key for it.
constexpr std::array<std::string_view, 3> kFlagged{"moderation", "flagged", "content_filter"};
constexpr std::array<std::string_view, 15> kUnsupported{
    "unsupported", "not support",   "not permitted",  "extra input",   "extra_forbidden",
    "deprecated",  "unrecognized",  "unknown",        "unexpected",    "not allowed",
    "no longer",   "not available", "does not exist", "does not take", "not accept"};
// What waiting does not mend, though its status says so.
constexpr std::array<std::string_view, 3> kNoWait{"insufficient_quota", "billing_hard_limit",
                                                  "credit balance"};

// The fields of the error, however deep its sender has them.
struct ErrorFields {
  std::string message{}, parameter{};
  std::string words{};  // type and code, which are for programs
  int64_t code = 0;     // where it is a number
};

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.is_null() ? "" : dump_json(value);
}

ErrorFields fields_of(const Json& error) {
  ErrorFields fields;
  if (!error.is_object()) {
    fields.message = text_of(error);
    return fields;
  }
  for (const char* name : {"message", "detail", "error", "msg"})
    if (fields.message.empty() && error.contains(name)) fields.message = text_of(error[name]);
  for (const char* name : {"type", "code", "status"})
    if (error.contains(name)) {
      fields.words += " " + text_of(error[name]);
      if (error[name].is_number_integer()) fields.code = error[name].get<int64_t>();
    }
  if (error.contains("innererror")) fields.words += " " + dump_json(error["innererror"]);
  if (error.contains("param")) fields.parameter = text_of(error["param"]);
  return fields;
}

ErrorFields error_fields(std::string_view body) {
  auto json = parse_json(body, "the error");
  if (!json) return {.message = std::string(body.substr(0, 8 * kMostMessageBytes))};
  if (!json->is_object()) return fields_of(*json);
  auto inner = json->find("error");
  return fields_of(inner != json->end() && !inner->is_null() ? *inner : *json);
}

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Where `word` stands by itself; npos.
size_t find_whole_word(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !is_word_character(text[at - 1])) &&
        (end == text.size() || !is_word_character(text[end])))
      return at;
  }
  return std::string_view::npos;
}

// Of the parameters that were sent: the one that is named as the culprit, or else first.
std::string blamed_parameter(const ErrorFields& fields, std::span<const std::string> parameters) {
  std::string blamed;
  size_t first = std::string::npos;
  for (const std::string& name : parameters) {
    if (fields.parameter == name || fields.parameter.starts_with(name + ".")) return name;
    const size_t at = find_whole_word(fields.message, name);
    if (at < first) {
      first = at;
      blamed = name;
    }
  }
  return blamed;
}

bool is_temporary(int64_t status) {
  return status == 408 || status == 409 || status == 429 || status >= 500;
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line = without_secrets(utf8(text));
  std::string flat;
  for (const char c : line) {
    const bool blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (!blank) flat += c;
    if (blank && !flat.empty() && flat.back() != ' ') flat += ' ';
    if (flat.size() > 2 * kMostMessageBytes) break;
  }
  while (flat.ends_with(' ')) flat.pop_back();
  if (flat.size() > kMostMessageBytes) {
    size_t end = kMostMessageBytes;
    while (end > 0 && (flat[end] & 0xc0) == 0x80) --end;  // in the middle of a character
    flat.resize(end);
    flat += "...";
  }
  return printable(flat, false);
}

ApiError read_api_error(int status, std::string_view body,
                        std::span<const std::string> parameters) {
  const ErrorFields fields = error_fields(body);
  if (status < 400)
    status = fields.code >= 400 && fields.code < 600 ? static_cast<int>(fields.code) : status;
  ApiError error;
  const std::string said = one_line(fields.message);
  error.message = said.empty()    ? fmt::format("status {}", status)
                  : status >= 400 ? fmt::format("status {}: {}", status, said)
                                  : said;
  const std::string words = lower_case(fields.words + " " + fields.message);
  const bool about_the_request = status == 400 || status == 413 || status == 422;
  const std::string blamed = blamed_parameter(fields, parameters);
  if (about_the_request && has_any(words, kFiltered)) {
    error.kind = ApiError::Kind::refused;
  } else if (about_the_request && has_any(words, kTooLong)) {
    error.kind = ApiError::Kind::too_long;
  } else if (about_the_request && !blamed.empty() && has_any(words, kUnsupported)) {
    error.kind = ApiError::Kind::unsupported;
    error.parameter = blamed;
  } else if (status == 401 || status == 403) {
    error.kind = status == 403 && has_any(words, kFlagged) ? ApiError::Kind::refused
                                                           : ApiError::Kind::shut_out;
  } else if (is_temporary(status) && !has_any(words, kNoWait)) {
    error.kind = ApiError::Kind::temporary;
  } else if (status == 413) {
    error.kind = ApiError::Kind::too_long;
  }
  return error;
}

}  // namespace assay

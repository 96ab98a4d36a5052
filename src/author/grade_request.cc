#include "author/grade_request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "author/answer.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, 14> kFields{
    "id",   "problem",   "problem_code", "code",         "language", "text", "target",
    "mode", "precision", "timeout_s",    "memory_bytes", "seed",     "time", "cancel"};
// A day: what is longer is no limit.
constexpr double kMostSeconds = 86400;
constexpr size_t kSeedDigits = 64;
// Beyond its image, which the judge has started: no candidate comes up with less.
constexpr int64_t kLeastBytes = int64_t{32} << 20;

void read_limits(const Json& json, JsonReader& fields, GradeRequest& request) {
  if (fields.has("timeout_s")) {
    const Json& timeout = json["timeout_s"];
    const double seconds = timeout.is_number() ? timeout.get<double>() : 0;
    if (seconds > 0 && seconds <= kMostSeconds)
      request.timeout_ns = std::llround(seconds * 1e9);
    else
      fields.fail("'timeout_s' is no number of seconds, up to a day");
  }
  if (auto bytes = fields.optional_integer("memory_bytes")) {
    if (*bytes < kLeastBytes)
      fields.fail(fmt::format("'memory_bytes' is {}, and a process needs {} at least", *bytes,
                              kLeastBytes));
    request.memory_bytes = static_cast<uint64_t>(*bytes);
  }
}

bool is_seed(std::string_view text) {
  return text.size() == kSeedDigits && std::ranges::all_of(text, [](char digit) {
           return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f');
         });
}

}  // namespace

Result<GradeRequest> read_grade_request(std::string_view line, const std::string& where, Json& id) {
  ASSAY_ASSIGN(Json json, parse_json(line, where));
  if (!json.is_object())
    return error(Code::invalid_input, where + ": it is no JSON object",
                 R"(each line is one candidate: {"problem": "gelu.py", "code": "..."})");
  JsonReader fields(json, where);
  GradeRequest request;
  if (fields.has("id")) {
    if (json["id"].is_string() || json["id"].is_number_integer())
      id = request.id = json["id"];
    else
      fields.fail("'id' is neither a text nor a whole number");
  }
  for (const auto& [name, value] : json.items())
    if (std::ranges::find(kFields, name) == kFields.end())
      fields.fail(fmt::format("it has '{}'; known are {}", name, fmt::join(kFields, ", ")));
  if (fields.has("cancel")) {
    request.cancels = fields.boolean("cancel");
    if (!request.cancels || !fields.has("id") || json.size() != 2)
      fields.fail("to cancel, a line has the 'id', 'cancel': true, and nothing else");
    ASSAY_TRY(fields.status());
    return request;
  }
  request.problem_code = fields.optional_text("problem_code");
  if (!request.problem_code) {
    request.problem = fields.optional_text("problem").value_or("");
    if (request.problem.empty())
      fields.fail("it has neither 'problem', what names it, nor 'problem_code'");
  } else if (fields.has("problem")) {
    fields.fail("it has both 'problem' and 'problem_code'");
  }
  if (request.problem.contains('\0')) fields.fail("'problem' is no path");
  if (fields.has("code") && fields.has("text")) fields.fail("it has both 'code' and 'text'");
  read_code(json, fields, request.candidate);
  request.target = fields.optional_text("target");
  request.precision = fields.optional_word<Precision>("precision", kPrecisionWords);
  request.mode = fields.optional_text("mode");
  if (request.mode && std::ranges::find(kModeWords, *request.mode) == std::end(kModeWords))
    fields.fail(
        fmt::format("'mode' is '{}', and can be {}", *request.mode, fmt::join(kModeWords, " or ")));
  read_limits(json, fields, request);
  request.seed = fields.optional_text("seed").value_or("");
  if (!request.seed.empty() && !is_seed(request.seed))
    fields.fail(fmt::format("'seed' has not {} hexadecimal digits", kSeedDigits));
  if (fields.has("time")) request.time = fields.boolean("time");
  ASSAY_TRY(fields.status());
  return request;
}

}  // namespace assay

#include "base/json.h"

#include <charconv>

namespace assay {
namespace {

constexpr int kMaxDepth = 64;

const Json& null_json() {
  static const Json null;
  return null;
}

}  // namespace

Result<Json> parse_json(std::string_view text, const std::string& what) {
  bool too_deep = false;
  auto limit = [&](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > kMaxDepth;
    return !too_deep;
  };
  Json value = Json::parse(text, limit, /*allow_exceptions=*/false);
  if (too_deep) return error(Code::corrupt, what + " is nested too deeply");
  if (value.is_discarded()) return error(Code::corrupt, what + " is not JSON");
  return value;
}

std::optional<int64_t> integer_in_json(std::string_view object, std::string_view key) {
  constexpr std::string_view kSpace = " \t\r\n";
  int depth = 0;
  for (size_t at = 0; at < object.size(); ++at) {
    char c = object[at];
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c != '"') continue;
    size_t begin = at + 1;
    for (++at; at < object.size() && object[at] != '"'; ++at)
      if (object[at] == '\\') ++at;
    if (depth != 1 || at >= object.size() || object.substr(begin, at - begin) != key) continue;
    size_t colon = object.find_first_not_of(kSpace, at + 1);
    if (colon == std::string_view::npos || object[colon] != ':') continue;  // it is a value
    size_t value = object.find_first_not_of(kSpace, colon + 1);
    if (value == std::string_view::npos) return std::nullopt;
    int64_t number = 0;
    const char* last = object.data() + object.size();
    auto [end, code] = std::from_chars(object.data() + value, last, number);
    bool whole = end != last && (std::string_view(",}").contains(*end) || kSpace.contains(*end));
    if (code == std::errc() && whole) return number;
    return std::nullopt;
  }
  return std::nullopt;
}

std::string dump_json(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

JsonReader::JsonReader(const Json& object, std::string what)
    : object_(object), what_(std::move(what)) {
  if (!object_.is_object()) fail("it is not an object");
}

const Json* JsonReader::find(const char* field) const {
  if (!object_.is_object()) return nullptr;
  auto found = object_.find(field);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

bool JsonReader::has(const char* field) const { return find(field) != nullptr; }

std::optional<std::string> JsonReader::optional_text(const char* field) {
  const Json* found = find(field);
  if (!found) return std::nullopt;
  if (found->is_string()) return found->get<std::string>();
  fail("'" + std::string(field) + "' is not a string");
  return std::nullopt;
}

std::string JsonReader::text(const char* field) {
  auto found = optional_text(field);
  if (!found && problem_.empty()) fail("'" + std::string(field) + "' is missing");
  return found.value_or("");
}

std::vector<std::string> JsonReader::texts(const char* field) {
  const Json* found = find(field);
  std::vector<std::string> result;
  if (!found || !found->is_array()) {
    fail("'" + std::string(field) + "' is not a list");
    return result;
  }
  for (const Json& item : *found) {
    if (!item.is_string()) {
      fail("'" + std::string(field) + "' holds what is not a string");
      return {};
    }
    result.push_back(item.get<std::string>());
  }
  return result;
}

std::optional<int64_t> JsonReader::optional_integer(const char* field) {
  const Json* found = find(field);
  if (!found) return std::nullopt;
  if (found->is_number_unsigned() && found->get<uint64_t>() > INT64_MAX) {
    fail("'" + std::string(field) + "' is out of range");
    return std::nullopt;
  }
  if (found->is_number_integer()) return found->get<int64_t>();
  fail("'" + std::string(field) + "' is not an integer");
  return std::nullopt;
}

int64_t JsonReader::integer(const char* field) {
  auto found = optional_integer(field);
  if (!found && problem_.empty()) fail("'" + std::string(field) + "' is missing");
  return found.value_or(0);
}

bool JsonReader::boolean(const char* field) {
  const Json* found = find(field);
  if (found && found->is_boolean()) return found->get<bool>();
  fail("'" + std::string(field) + "' is not true or false");
  return false;
}

const Json& JsonReader::value(const char* field) {
  const Json* found = find(field);
  return found ? *found : null_json();
}

void JsonReader::fail(const std::string& message) {
  if (problem_.empty()) problem_ = message;
}

Status JsonReader::status() const {
  if (problem_.empty()) return {};
  return error(Code::corrupt, what_ + ": " + problem_);
}

}  // namespace assay

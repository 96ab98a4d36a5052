#include "base/json.h"

#include <algorithm>

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

std::vector<std::string_view> values_in_json(std::string_view object,
                                             std::span<const std::string_view> keys) {
  constexpr std::string_view kSpace = " \t\r\n";
  std::vector<std::string_view> values(keys.size());
  size_t left = keys.size();
  std::string_view* open = nullptr;  // whose value it is in
  size_t begin = 0;                  // of that value
  int depth = 0;
  for (size_t at = 0; at < object.size() && left > 0; ++at) {
    const char c = object[at];
    if (depth == 1 && open && (c == ',' || c == '}')) {
      const std::string_view value = object.substr(begin, at - begin);
      *open = value.substr(0, value.find_last_not_of(kSpace) + 1);
      open = nullptr;
      --left;
    }
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c != '"') continue;
    const size_t name = at + 1;
    for (++at; at < object.size() && object[at] != '"'; ++at)
      if (object[at] == '\\') ++at;
    if (depth != 1 || open || at >= object.size()) continue;
    const auto key = std::ranges::find(keys, object.substr(name, at - name));
    const size_t colon = object.find_first_not_of(kSpace, at + 1);
    if (key == keys.end() || colon == std::string_view::npos || object[colon] != ':') continue;
    begin = object.find_first_not_of(kSpace, colon + 1);
    if (begin == std::string_view::npos) break;
    open = &values[static_cast<size_t>(key - keys.begin())];
    at = begin - 1;
  }
  return values;
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

double JsonReader::number(const char* field) {
  const Json* value = find(field);
  if (value != nullptr && value->is_number()) return value->get<double>();
  fail("'" + std::string(field) + (value ? "' is not a number" : "' is missing"));
  return 0;
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

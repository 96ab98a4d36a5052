#include "base/json.h"

#include <algorithm>
#include <charconv>

template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace assay {
namespace {

constexpr int kMaxDepth = 64;

const Json& null_json() {
  static const Json null;
  return null;
}

// Of four hexadecimal digits behind "\\u"; nothing: it is no such escape.
std::optional<unsigned> code_unit_at(std::string_view text, size_t at) {
  if (text.substr(at, 2) != "\\u" || text.size() < at + 6) return std::nullopt;
  unsigned unit = 0;
  const char *begin = text.data() + at + 2, *end = begin + 4;
  const auto [last, failed] = std::from_chars(begin, end, unit, 16);
  return failed == std::errc() && last == end ? std::optional(unit) : std::nullopt;
}

// With U+FFFD for each half of a pair that stands alone: programs that cut text between the two
// write such, and no other part of it is wrong for that.
std::string without_lone_surrogates(std::string_view text) {
  constexpr unsigned kHigh = 0xd800, kLow = 0xdc00, kEnd = 0xe000;
  constexpr size_t kEscapeBytes = 6;
  std::string mended;
  for (size_t at = 0; at < text.size();) {
    size_t length = text[at] == '\\' ? 2 : 1;
    if (const auto unit = code_unit_at(text, at)) {
      length = kEscapeBytes;
      const auto next = code_unit_at(text, at + kEscapeBytes);
      const bool has_low = next && *next >= kLow && *next < kEnd;
      if (*unit >= kHigh && *unit < kLow && has_low) {
        length = 2 * kEscapeBytes;
      } else if (*unit >= kHigh && *unit < kEnd) {
        mended += "\\ufffd";
        at += length;
        continue;
      }
    }
    mended += text.substr(at, length);
    at += length;
  }
  return mended;
}

// Discarded: it is none.
Json parse(std::string_view text, bool& too_deep) {
  too_deep = false;
  auto limit = [&](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > kMaxDepth;
    return !too_deep;
  };
  return Json::parse(text, limit, /*allow_exceptions=*/false);
}

}  // namespace

Result<Json> parse_json(std::string_view text, const std::string& what) {
  bool too_deep = false;
  Json value = parse(text, too_deep);
  if (value.is_discarded() && !too_deep && (text.contains("\\ud") || text.contains("\\uD")))
    value = parse(without_lone_surrogates(text), too_deep);
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

// JSON read strictly: what comes from another process or from a stored record is checked field by
// field, and an error says which field.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/status.h"

// Compiled once, in json.cc: without optimisation, a unit that uses it takes a quarter less time.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace assay {

using Json = nlohmann::ordered_json;

// Parses one JSON value; `what` names the source in the error. Nesting is limited to 64. Half of a
// pair of surrogates becomes U+FFFD.
Result<Json> parse_json(std::string_view text, const std::string& what);

// What stands under each of the keys of a JSON object in a text, and of no object inside it, as the
// text that it is: without building the rest, which is most, of each of many records. "" where it
// is not there. Looks no further than the last of them; what is found need not be JSON.
std::vector<std::string_view> values_in_json(std::string_view object,
                                             std::span<const std::string_view> keys);

// Bytes that are not UTF-8 (a child may say anything) become U+FFFD instead of an exception.
std::string dump_json(const Json& value, int indent = -1);

// What may be absent: null, then. An empty text is.
template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
inline Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

// A field of what may be anything, where its type is that of the fallback; else the fallback.
template <class T>
T field_or(const Json& object, const char* field, T fallback) {
  const auto found = object.find(field);
  if (found == object.end()) return fallback;
  if constexpr (std::is_same_v<T, Json>) return *found;
  bool fits = false;
  if constexpr (std::is_same_v<T, bool>)
    fits = found->is_boolean();
  else if constexpr (std::is_integral_v<T>)
    fits = found->is_number_integer();
  else if constexpr (std::is_floating_point_v<T>)
    fits = found->is_number();
  else if constexpr (std::is_same_v<T, std::string>)
    fits = found->is_string();
  return fits ? found->template get<T>() : fallback;
}

// Reads the fields of one JSON object. The first problem is kept, later reads return defaults; the
// caller checks once, at the end, with status().
class JsonReader {
 public:
  JsonReader(const Json& object, std::string what);
  JsonReader(Json&&, std::string) = delete;  // it keeps a reference

  bool has(const char* field) const;  // present and not null
  std::string text(const char* field);
  std::optional<std::string> optional_text(const char* field);
  std::vector<std::string> texts(const char* field);  // a list of them
  int64_t integer(const char* field);
  std::optional<int64_t> optional_integer(const char* field);
  double number(const char* field);  // whole or not
  bool boolean(const char* field);
  // An object or array, by reference into the parsed value; null when absent.
  const Json& value(const char* field);
  // The position in a closed list of words.
  template <class Enum, class Table>
  Enum word(const char* field, const Table& table);
  template <class Enum, class Table>
  std::optional<Enum> optional_word(const char* field, const Table& table);

  void fail(const std::string& message);
  Status status() const;

 private:
  const Json* find(const char* field) const;

  const Json& object_;
  std::string what_;
  std::string problem_;
};

template <class Enum, class Table>
std::optional<Enum> JsonReader::optional_word(const char* field, const Table& table) {
  auto written = optional_text(field);
  if (!written) return std::nullopt;
  for (const auto& entry : table)
    if (entry.word == *written) return entry.value;
  fail("'" + std::string(field) + "' is '" + *written + "', which is not a word it can be");
  return std::nullopt;
}

template <class Enum, class Table>
Enum JsonReader::word(const char* field, const Table& table) {
  auto value = optional_word<Enum>(field, table);
  if (!value && problem_.empty()) fail("'" + std::string(field) + "' is missing");
  return value.value_or(table[0].value);
}

}  // namespace assay

#include "report/evidence.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/units.h"
#include "report/table.h"

namespace assay {
namespace {

constexpr size_t kLongestLine = 88;

bool is_bytes(std::string_view name) { return name == "bytes" || name.ends_with("_bytes"); }
bool is_time(std::string_view name) { return name.ends_with("_ns"); }

// "artifact_bytes" -> "artifact"
std::string label(std::string name) {
  if (is_bytes(name) && name.size() > 6) name.resize(name.size() - 6);
  if (is_time(name)) name.resize(name.size() - 3);
  for (char& c : name)
    if (c == '_') c = ' ';
  return terminal_text(name);
}

std::string in_words(const std::string& name, const Json& value);

// {"shape": [4, 8], "dtype": "f32"} -> "4x8 f32"
std::string tensor(const Json& value) {
  std::string shape;
  for (const Json& size : value["shape"]) shape += (shape.empty() ? "" : "x") + dump_json(size);
  return (shape.empty() ? "scalar" : shape) + " " + in_words("dtype", value["dtype"]);
}

// "count 3, bytes 1.2 KiB"
std::string fields(const Json& object) {
  if (object.contains("shape") && object["shape"].is_array() && object.contains("dtype") &&
      object.size() == 2)
    return tensor(object);
  std::string text;
  for (const auto& [name, value] : object.items())
    text += (text.empty() ? "" : ", ") + label(name) + " " + in_words(name, value);
  return text.empty() ? "none" : text;
}

// Of lists in lists, too. False: something else than numbers is among them.
bool take_numbers(const Json& list, std::vector<double>& numbers) {
  return std::ranges::all_of(list, [&](const Json& item) {
    if (item.is_array()) return take_numbers(item, numbers);
    if (item.is_number()) numbers.push_back(item.get<double>());
    return item.is_number();
  });
}

// "24 numbers, -0.012 to 0.18", of what has an element for each of many launches. Empty: it is
// short.
std::string numbers_in_words(const Json& list) {
  constexpr size_t kFew = 8;
  std::vector<double> numbers;
  if (!take_numbers(list, numbers) || numbers.size() <= kFew) return "";
  const auto [least, most] = std::ranges::minmax(numbers);
  return fmt::format("{} numbers, {:.4g} to {:.4g}", numbers.size(), least, most);
}

std::vector<std::string> items(const std::string& name, const Json& list) {
  std::vector<std::string> words;
  for (const Json& item : list) words.push_back(in_words(name, item));
  return words;
}

std::string in_words(const std::string& name, const Json& value) {
  if (value.is_null()) return "not known";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_string()) return terminal_text(value.get<std::string>());
  if (value.is_object()) return fields(value);
  if (value.is_array()) {
    if (std::string numbers = numbers_in_words(value); !numbers.empty()) return numbers;
    return value.empty() ? "none" : fmt::format("{}", fmt::join(items(name, value), ", "));
  }
  if (value.is_number_unsigned() && is_bytes(name)) return format_bytes(value.get<uint64_t>());
  if (value.is_number_integer() && value >= 0 && is_bytes(name))
    return format_bytes(static_cast<uint64_t>(value.get<int64_t>()));
  if (value.is_number_integer() && value >= 0 && is_time(name))
    return format_duration(value.get<int64_t>());
  return dump_json(value);
}

}  // namespace

std::string evidence_in_words(const Json& evidence) {
  std::string text;
  if (!evidence.is_object()) return text;
  for (const auto& [name, value] : evidence.items()) {
    if (value.is_structured() && value.empty()) continue;  // there is none of it: no news
    std::string line = fmt::format("    {}: {}", label(name), in_words(name, value));
    bool parts = (value.is_array() || value.is_object()) && value.size() > 1;
    if (!parts || line.size() <= kLongestLine) {
      text += line + "\n";
      continue;
    }
    text += fmt::format("    {}:\n", label(name));
    if (value.is_array())
      for (const std::string& item : items(name, value)) text += "      " + item + "\n";
    else
      for (const auto& [key, part] : value.items())
        text += fmt::format("      {} {}\n", label(key), in_words(key, part));
  }
  return text;
}

std::string text_at(const Json& object, const char* name) {
  if (!object.is_object()) return "";
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? terminal_text(found->get<std::string>())
                                                     : "";
}

std::optional<int64_t> number_at(const Json& object, const char* name) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<int64_t>();
}

}  // namespace assay

#include "base/toml_reader.h"

#include <algorithm>
#include <cmath>

namespace assay {
namespace {

std::string at(const std::string& path, const toml::source_region& where) {
  return fmt::format("{}:{}:{}", path, where.begin.line, where.begin.column);
}

}  // namespace

std::string TomlReader::text(const char* key, bool required) {
  const toml::node* node = find(key, required);
  if (!node) return "";
  auto value = node->value_exact<std::string>();
  if (value && !value->empty()) return *value;
  fail(*node, fmt::format("'{}' must be a string that is not empty", key), "write it in quotes");
  return "";
}

std::vector<std::string> TomlReader::texts(const char* key) {
  std::vector<std::string> result;
  const toml::node* node = find(key, false);
  if (!node) return result;
  const toml::array* list = node->as_array();
  if (!list) {
    fail(*node, fmt::format("'{}' must be a list of strings", key), "write it in brackets");
    return result;
  }
  for (const toml::node& item : *list) {
    auto value = item.value_exact<std::string>();
    if (value && !value->empty())
      result.push_back(*value);
    else
      fail(item, fmt::format("'{}' must hold strings that are not empty", key),
           "write each in quotes");
  }
  return result;
}

std::vector<std::string> TomlReader::texts(const char* key, const ListOf& kind, bool required) {
  std::vector<std::string> result;
  const toml::node* node = find(key, required);
  if (!node) return result;
  const toml::array* list = node->as_array();
  if (!list || list->empty()) {
    fail(*node, fmt::format("'{}' must be a list of at least one {}", key, kind.noun),
         fmt::format("for example {}", kind.example));
    return result;
  }
  for (const toml::node& item : *list) {
    auto text = item.value_exact<std::string>();
    auto good = kind.check(text.value_or(""));
    if (good)
      result.push_back(*text);
    else
      fail(item, good.error().message, good.error().next);
  }
  return result;
}

std::vector<std::pair<std::string, std::string>> TomlReader::all_texts() {
  std::vector<std::pair<std::string, std::string>> result;
  for (const auto& [key, node] : table_) {
    if (auto value = node.value_exact<std::string>())
      result.emplace_back(key.str(), *value);
    else
      fail(node, fmt::format("'{}' in {} must be a string", key.str(), what_),
           "write it in quotes");
  }
  return result;
}

std::vector<std::string> TomlReader::items(const char* key, Single single) {
  std::vector<std::string> result;
  const toml::node* node = find(key, false);
  if (!node) return result;
  auto take = [&](const toml::node& item) {
    if (auto text = item.value_exact<std::string>(); text && !text->empty())
      result.push_back(*text);
    else if (auto number = item.value_exact<int64_t>())
      result.push_back(std::to_string(*number));
    else
      fail(item, fmt::format("'{}' must hold whole numbers and strings", key),
           "for example [64, \"n\", 0]");
  };
  if (const toml::array* list = node->as_array())
    for (const toml::node& item : *list) take(item);
  else if (single == Single::too)
    take(*node);
  else
    fail(*node, fmt::format("'{}' must be a list", key), "write it in brackets");
  return result;
}

bool TomlReader::is_list(const char* key) const {
  const toml::node* node = table_.get(key);
  return node && node->is_array();
}

bool TomlReader::boolean(const char* key) {
  const toml::node* node = find(key, false);
  if (!node) return false;
  if (auto value = node->value_exact<bool>()) return *value;
  fail(*node, fmt::format("'{}' must be true or false", key), "write it without quotes");
  return false;
}

std::vector<std::string> TomlReader::keys() const {
  std::vector<std::string> result;
  for (const auto& [key, node] : table_) result.emplace_back(key.str());
  return result;
}

std::optional<double> TomlReader::number(const char* key, bool required) {
  const toml::node* node = find(key, required);
  if (!node) return std::nullopt;
  auto value = node->is_number() ? node->value<double>() : std::nullopt;
  if (value && std::isfinite(*value) && *value > 0) return value;
  fail(*node, fmt::format("'{}' must be a number greater than 0", key), "for example 19.5e12");
  return std::nullopt;
}

std::optional<TomlReader> TomlReader::table(const char* key, bool required) {
  const toml::node* node = find(key, required);
  if (!node) return std::nullopt;
  if (const toml::table* found = node->as_table())
    return TomlReader(problem_, *found, fmt::format("[{}]", key));
  fail(*node, fmt::format("'{}' must be a table", key), fmt::format("write [{}]", key));
  return std::nullopt;
}

std::vector<TomlReader> TomlReader::tables(const char* key) {
  std::vector<TomlReader> result;
  const toml::node* node = find(key, false);
  if (!node) return result;
  const toml::array* list = node->as_array();
  if (!list || !list->is_homogeneous(toml::node_type::table)) {
    fail(*node, fmt::format("'{}' must be a list of tables", key),
         fmt::format("write [[{}]]", key));
    return result;
  }
  for (const toml::node& item : *list)
    result.emplace_back(problem_, *item.as_table(), fmt::format("[[{}]]", key));
  return result;
}

void TomlReader::only(const std::vector<std::string>& known) {
  for (const auto& [key, node] : table_) {
    std::string name(key.str());
    if (std::ranges::find(known, name) == known.end())
      fail(node, fmt::format("there is no key '{}' in {}{}", name, what_, suggestion(name, known)),
           fmt::format("the keys are: {}", fmt::join(known, ", ")));
  }
}

Status TomlReader::status() const {
  if (problem_.message.empty()) return {};
  return error(Code::invalid_input, problem_.message, problem_.next);
}

const toml::node* TomlReader::find(const char* key, bool required) {
  const toml::node* node = table_.get(key);
  if (!node && required && problem_.message.empty()) {
    problem_.message = fmt::format("{}: the key '{}' is missing in {}", problem_.path, key, what_);
    problem_.next = problem_.example;
  }
  return node;
}

void TomlReader::fail(const char* key, const std::string& message, const std::string& next) {
  if (const toml::node* node = table_.get(key)) fail(*node, message, next);
}

void TomlReader::fail(const toml::node& node, const std::string& message, const std::string& next) {
  if (!problem_.message.empty()) return;
  problem_.message = at(problem_.path, node.source()) + ": " + message;
  problem_.next = next;
}

Result<toml::table> parse_toml(const std::string& path, std::string_view text,
                               std::string_view what) {
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& problem) {
    return error(Code::invalid_input,
                 fmt::format("{}: {}", at(path, problem.source()), problem.description()),
                 fmt::format("{} is a TOML file; strings need quotes", what));
  }
}

}  // namespace assay

#include "workload/zoo.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include "base/places.h"
#include "base/toml_reader.h"

namespace assay {
namespace {

// A line `SEQ = 32  # why`, taken apart; nullopt where it is another.
struct NumberLine {
  std::string key;  // "seq"
  int64_t value = 0;
  size_t begin = 0, end = 0;  // of the digits
};

std::optional<NumberLine> number_line(std::string_view line) {
  NumberLine found;
  size_t i = 0;
  for (; i < line.size() && (std::isupper(static_cast<unsigned char>(line[i])) != 0 ||
                             line[i] == '_' || (i > 0 && std::isdigit(line[i]) != 0));
       ++i)
    found.key += static_cast<char>(std::tolower(static_cast<unsigned char>(line[i])));
  constexpr std::string_view kEquals = " = ";
  if (i == 0 || line.substr(i, kEquals.size()) != kEquals) return std::nullopt;
  found.begin = i + kEquals.size();
  const char* last = line.data() + line.size();
  auto [end, failed] = std::from_chars(line.data() + found.begin, last, found.value);
  found.end = static_cast<size_t>(end - line.data());
  const std::string_view behind = line.substr(found.end);
  const bool ends = behind.empty() || behind.starts_with(" ") || behind.starts_with("\r");
  if (failed != std::errc() || !ends || found.value < 0) return std::nullopt;
  const size_t comment = behind.find_first_not_of(" \r");
  if (comment != std::string_view::npos && behind[comment] != '#') return std::nullopt;
  return found;
}

// Calls with each line of the text, its end of line included.
template <class Take>
void for_each_line(std::string_view text, Take take) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    take(text.substr(0, end));
    text.remove_prefix(end);
  }
}

std::string_view without_end(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  return line;
}

ModelNumbers numbers_of(std::string_view python) {
  ModelNumbers numbers;
  for_each_line(python, [&](std::string_view line) {
    if (auto found = number_line(without_end(line))) numbers.emplace_back(found->key, found->value);
  });
  return numbers;
}

constexpr const char* kWeightBytes = "weight_bytes";
constexpr const char* kDoubleBytes = "double_bytes";

// Fails where the table gives a number that the file does not have.
Status read_size(const std::string& path, const toml::table& table, ModelSize& size) {
  for (const auto& [name, node] : table) {
    const auto line = node.source().begin.line;
    const auto value = node.value<int64_t>();
    if (!value || *value < 0)
      return error(Code::invalid_input,
                   fmt::format("{}:{}: '{}' is no whole number", path, line, name.str()),
                   "a size gives numbers of the model's file, weight_bytes and double_bytes");
    if (name.str() == kWeightBytes || name.str() == kDoubleBytes) {
      (name.str() == kWeightBytes ? size.weight_bytes : size.double_bytes) =
          static_cast<uint64_t>(*value);
      continue;
    }
    auto number = std::ranges::find(size.numbers, name.str(), &ModelNumbers::value_type::first);
    if (number == size.numbers.end())
      return error(Code::invalid_input,
                   fmt::format("{}:{}: the model has no '{}'", path, line, name.str()),
                   "its file has a line for each number that can be chosen: SEQ = 32");
    number->second = *value;
  }
  return {};
}

Status read_sizes(const std::string& path, std::string_view text, ZooModel& model) {
  ASSAY_ASSIGN(const toml::table table, parse_toml(path, text, "a model"));
  const ModelSize as_it_is = model.sizes.front();
  model.sizes.clear();
  std::vector<std::pair<const toml::table*, std::string>> sizes;
  for (const auto& [name, node] : table) {
    if (const toml::table* size = node.as_table()) {
      sizes.emplace_back(size, std::string(name.str()));
    } else if (name.str() == "title" && node.is_string()) {
      model.title = node.value_or("");
    } else if (name.str() == "needs" && node.is_array()) {
      for (const auto& each : *node.as_array()) model.needs.push_back(each.value_or(""));
    } else if (name.str() == "not_by" && node.is_array()) {
      for (const auto& each : *node.as_array()) model.not_by.push_back(each.value_or(""));
    } else {
      return error(
          Code::invalid_input,
          fmt::format("{}:{}: '{}' is not known here", path, node.source().begin.line, name.str()),
          "a model has a title, needs, not_by, and a table for each size");
    }
  }
  // toml++ sorts them by name.
  std::ranges::sort(sizes, {}, [](const auto& each) { return each.first->source().begin.line; });
  for (const auto& [size, name] : sizes) {
    model.sizes.push_back({name, as_it_is.numbers, std::nullopt, std::nullopt});
    ASSAY_TRY(read_size(path, *size, model.sizes.back()));
  }
  if (std::ranges::find(model.sizes, kSmallestModel, &ModelSize::name) == model.sizes.end())
    model.sizes.insert(model.sizes.begin(), as_it_is);
  return {};
}

constexpr std::string_view kEnding = ".py";

Result<ZooModel> read_model(const Disk& disk, const std::string& folder, const std::string& key) {
  ZooModel model;
  model.key = key;
  model.path = join_path(folder, key + std::string(kEnding));
  ASSAY_ASSIGN(const std::string python, disk.read(model.path));
  model.sizes.push_back(
      {std::string(kSmallestModel), numbers_of(python), std::nullopt, std::nullopt});
  const std::string sizes = join_path(folder, key + ".toml");
  if (disk.exists(sizes)) {
    ASSAY_ASSIGN(const std::string text, disk.read(sizes));
    ASSAY_TRY(read_sizes(sizes, text, model));
  }
  return model;
}

// A user's own first: whoever is found there is taken.
Result<std::vector<std::string>> model_folders(const Disk& disk) {
  ASSAY_ASSIGN(const Places places, find_places());
  std::vector<std::string> folders;
  if (disk.is_directory(places.user_models)) folders.push_back(places.user_models);
  folders.push_back(places.models);
  return folders;
}

}  // namespace

Result<std::vector<ZooModel>> read_zoo(const Disk& disk) {
  std::map<std::string, ZooModel> zoo;
  ASSAY_ASSIGN(const auto folders, model_folders(disk));
  for (const std::string& folder : folders) {
    ASSAY_ASSIGN(const auto entries, disk.list(folder));
    for (const DirectoryEntry& entry : entries) {
      const bool is_hidden = entry.name.starts_with('_') || entry.name.starts_with('.');
      if (!entry.is_file || is_hidden || !entry.name.ends_with(kEnding)) continue;
      const std::string key = entry.name.substr(0, entry.name.size() - kEnding.size());
      if (zoo.contains(key)) continue;
      auto model = read_model(disk, folder, key);
      if (model)
        zoo[key] = *std::move(model);
      else
        zoo[key] = {.key = key, .wrong = model.error()};
    }
  }
  std::vector<ZooModel> all;
  for (auto& [key, model] : zoo) all.push_back(std::move(model));
  return all;
}

Result<std::optional<ZooModel>> find_model(const Disk& disk, const std::string& key) {
  if (key.contains('/')) return std::optional<ZooModel>();  // that is no key, but a way elsewhere
  ASSAY_ASSIGN(const auto folders, model_folders(disk));
  for (const std::string& folder : folders) {
    if (!disk.exists(join_path(folder, key + std::string(kEnding)))) continue;
    ASSAY_ASSIGN(ZooModel model, read_model(disk, folder, key));
    return std::optional(std::move(model));
  }
  return std::optional<ZooModel>();
}

std::string with_numbers(std::string_view python, const ModelNumbers& numbers) {
  std::string text;
  for_each_line(python, [&](std::string_view line) {
    const auto found = number_line(without_end(line));
    const auto chosen =
        found ? std::ranges::find(numbers, found->key, &ModelNumbers::value_type::first)
              : numbers.end();
    if (chosen == numbers.end())
      text += line;
    else
      text += fmt::format("{}{}{}", line.substr(0, found->begin), chosen->second,
                          line.substr(found->end));
  });
  return text;
}

}  // namespace assay

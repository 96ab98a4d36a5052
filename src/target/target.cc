#include "target/target.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "base/words.h"

namespace assay {
namespace {

// Flags that assay sets itself: a target that set them too would break what is built on them.
constexpr std::string_view kReservedFlags[] = {"-o",
                                               "--output-format",
                                               "--compile-to",
                                               "--compile-from",
                                               "--compile-mode",
                                               "--dump-compilation-phases-to",
                                               "--iree-scheduling-dump-statistics-format",
                                               "--iree-scheduling-dump-statistics-file"};

// Several targets share the one short message that a compiler's worker gets.
constexpr size_t kMaxFlagBytes = 3000;

std::string at(const std::string& path, const toml::source_region& where) {
  return fmt::format("{}:{}:{}", path, where.begin.line, where.begin.column);
}

template <class Enum, size_t N>
std::vector<std::string> words_of(const Word<Enum> (&table)[N]) {
  std::vector<std::string> words;
  for (const auto& entry : table) words.emplace_back(entry.word);
  return words;
}

// Reads one table and remembers the first thing that is wrong with it.
class Reader {
 public:
  Reader(std::string path, const toml::table& table) : path_(std::move(path)), table_(table) {}

  std::string text(const char* key, bool required) {
    const toml::node* node = find(key, required);
    if (!node) return "";
    auto value = node->value_exact<std::string>();
    if (value && !value->empty()) return *value;
    fail(*node, fmt::format("'{}' must be a string that is not empty", key), "write it in quotes");
    return "";
  }

  template <class Enum, size_t N>
  Enum word(const char* key, const Word<Enum> (&table)[N], Enum absent) {
    const toml::node* node = find(key, false);
    if (!node) return absent;
    std::string written = text(key, false);
    if (auto value = from_word(table, written)) return *value;
    auto known = words_of(table);
    fail(*node, fmt::format("'{}' is no {}{}", written, key, suggestion(written, known)),
         fmt::format("write one of: {}", fmt::join(known, ", ")));
    return absent;
  }

  std::vector<std::string> flags(const char* key) {
    std::vector<std::string> result;
    const toml::node* node = find(key, true);
    if (!node) return result;
    const toml::array* list = node->as_array();
    if (!list || list->empty()) {
      fail(*node, fmt::format("'{}' must be a list of at least one flag", key),
           R"(for example flags = ["--iree-hal-target-device=local"])");
      return result;
    }
    for (const toml::node& item : *list) {
      auto flag = item.value_exact<std::string>();
      auto good = check_flag(flag.value_or(""));
      if (good)
        result.push_back(*flag);
      else
        fail(item, good.error().message, good.error().next);
    }
    size_t bytes = 0;
    for (const std::string& flag : result) bytes += flag.size();
    if (bytes > kMaxFlagBytes)
      fail(*node, fmt::format("the flags are {} bytes long", bytes),
           fmt::format("all together may be {} bytes", kMaxFlagBytes));
    return result;
  }

  // Refuses keys that are none: a typo must not be taken for a default.
  void only(const std::vector<std::string>& known) {
    for (const auto& [key, node] : table_) {
      std::string name(key.str());
      if (std::ranges::find(known, name) == known.end())
        fail(node, fmt::format("there is no key '{}' in a target{}", name, suggestion(name, known)),
             fmt::format("the keys are: {}", fmt::join(known, ", ")));
    }
  }

  Status status() const {
    if (problem_.empty()) return {};
    return error(Code::invalid_input, problem_, next_);
  }

 private:
  const toml::node* find(const char* key, bool required) {
    const toml::node* node = table_.get(key);
    if (!node && required && problem_.empty()) {
      problem_ = fmt::format("{}: the key '{}' is missing", path_, key);
      next_ = "`assay list targets a100` shows a whole target file";
    }
    return node;
  }

  void fail(const toml::node& node, const std::string& what, const std::string& next) {
    if (!problem_.empty()) return;
    problem_ = at(path_, node.source()) + ": " + what;
    next_ = next;
  }

  std::string path_;
  const toml::table& table_;
  std::string problem_;
  std::string next_;
};

}  // namespace

Status check_flag(const std::string& flag) {
  if (!flag.starts_with("--") || flag.size() < 4)
    return error(Code::invalid_input,
                 fmt::format("a flag must be a string that begins with '--', not '{}'", flag),
                 "write one flag with its value: --name=value");
  for (std::string_view name : kReservedFlags)
    if (flag == name || flag.starts_with(std::string(name) + "="))
      return error(Code::invalid_input, fmt::format("'{}' is set by assay itself", flag),
                   "remove it");
  return {};
}

Result<Target> parse_target(const std::string& path, std::string_view text) {
  toml::table table;
  try {
    table = toml::parse(text, path);
  } catch (const toml::parse_error& problem) {
    return error(Code::invalid_input,
                 fmt::format("{}: {}", at(path, problem.source()), problem.description()),
                 "a target is a TOML file; strings need quotes");
  }
  Reader reader(path, table);
  Target target;
  target.name = std::filesystem::path(path).stem().string();
  target.path = path;
  target.reference = target.name;
  reader.only({"title", "flags", "precision", "runner"});
  target.title = reader.text("title", true);
  target.flags = reader.flags("flags");
  target.precision = reader.word("precision", kPrecisionWords, Precision::f32);
  target.runner = reader.word("runner", kRunnerWords, Runner::none);
  ASSAY_TRY(reader.status());
  return target;
}

TargetCatalog::TargetCatalog(const Disk& disk, std::vector<std::string> folders)
    : disk_(disk), folders_(std::move(folders)) {}

std::vector<std::string> TargetCatalog::names() const {
  std::set<std::string> names;
  for (const std::string& folder : folders_) {
    if (folder.empty() || !disk_.is_directory(folder)) continue;
    auto entries = disk_.list(folder);
    if (!entries) continue;  // a folder that vanished or cannot be read holds no targets
    for (const DirectoryEntry& entry : *entries)
      if (entry.is_file && entry.name.ends_with(".toml") && entry.name.size() > 5)
        names.insert(entry.name.substr(0, entry.name.size() - 5));
  }
  return {names.begin(), names.end()};
}

Result<Target> TargetCatalog::load(const std::string& name_or_path) const {
  if (name_or_path.contains('/') || name_or_path.ends_with(".toml")) {
    ASSAY_ASSIGN(std::string text, disk_.read(name_or_path));
    ASSAY_ASSIGN(Target target, parse_target(name_or_path, text));
    target.reference = absolute_path(name_or_path);
    return target;
  }
  for (const std::string& folder : folders_) {
    std::string path = join_path(folder, name_or_path + ".toml");
    if (folder.empty() || !disk_.exists(path)) continue;
    ASSAY_ASSIGN(std::string text, disk_.read(path));
    return parse_target(path, text);
  }
  return error(
      Code::not_found,
      fmt::format("there is no target '{}'{}", name_or_path, suggestion(name_or_path, names())),
      "`assay list targets` shows them all; a path to a TOML file works too");
}

}  // namespace assay

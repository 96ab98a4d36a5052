#include "author/own_compilers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/places.h"
#include "base/toml_reader.h"

namespace assay {
namespace {

// It becomes part of paths, and of what --by takes.
bool is_good_name(std::string_view name) {
  return !name.empty() && name.front() != '.' && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_' || c == '+';
  });
}

}  // namespace

std::string author_name(const OwnCompiler& compiler) {
  return std::string(kNamedIree) + compiler.name;
}

Result<std::optional<OwnCompiler>> own_compiler_of(const Disk& disk, std::string_view author) {
  if (!author.starts_with(kNamedIree)) return std::nullopt;
  ASSAY_ASSIGN(auto all, own_compilers(disk));
  const auto found = std::ranges::find(all, author, author_name);
  if (found == all.end()) return std::nullopt;
  return std::move(*found);
}

std::string own_compilers_file() {
  const std::string folder = find_config_folder();
  return folder.empty() ? "" : join_path(folder, "compilers.toml");
}

Result<std::vector<OwnCompiler>> own_compilers(const Disk& disk) {
  const std::string path = own_compilers_file();
  std::vector<OwnCompiler> found;
  if (path.empty() || !disk.exists(path)) return found;
  ASSAY_ASSIGN(const std::string text, disk.read(path));
  ASSAY_ASSIGN(const toml::table table, parse_toml(path, text, "a file of compilers"));
  TomlReader::Problem problem{.path = path, .example = "write NAME = \"/path/of/iree\""};
  TomlReader reader(problem, table, "a file of compilers");
  for (auto& [name, place] : reader.all_texts()) {
    if (!is_good_name(name))
      reader.fail(name.c_str(), fmt::format("'{}' is no name of a compiler", name),
                  "take letters, digits, '.', '-', '_' and '+'");
    else if (!place.starts_with('/'))
      reader.fail(name.c_str(), fmt::format("'{}': '{}' is no absolute path", name, place),
                  "write where it is, from / on");
    else
      found.push_back({name, place});
  }
  ASSAY_TRY(reader.status());
  std::ranges::sort(found, {}, &OwnCompiler::name);
  return found;
}

}  // namespace assay

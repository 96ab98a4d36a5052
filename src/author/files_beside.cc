#include "author/files_beside.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace assay {
namespace {

constexpr std::string_view kHeaderEndings[] = {".h",   ".hh",  ".hpp", ".hxx",
                                               ".cuh", ".inc", ".inl", ".ipp"};
constexpr std::string_view kUnitEndings[] = {".cpp", ".cc", ".cxx", ".c", ".cu"};

bool ends_with_any(std::string_view text, std::span<const std::string_view> endings) {
  return std::ranges::any_of(endings, [&](std::string_view each) { return text.ends_with(each); });
}

using Names = std::vector<std::string>;

void add_if_name(std::string_view text, Names& names) {
  if ((is_header(text) || ends_with_any(text, kUnitEndings)) && is_name_in_folder(text))
    names.emplace_back(text);
}

// What stands between any two quotes of one line: where Python's texts begin is not asked, since
// what stands between them is no name. f"{here}/csrc/relu.cpp" names "csrc/relu.cpp".
Names quoted_names(std::string_view code) {
  Names names;
  size_t quote = code.find_first_of("\"'");
  while (quote != std::string_view::npos) {
    const size_t end = code.find_first_of("\"'\n", quote + 1);
    if (end == std::string_view::npos) break;
    std::string_view text = code.substr(quote + 1, end - quote - 1);
    const bool is_quoted = code[end] != '\n';
    quote = is_quoted ? end : code.find_first_of("\"'", end);
    if (!is_quoted) continue;
    text.remove_prefix(text.rfind('}') + 1);  // npos + 1 is 0
    text.remove_prefix(std::min(text.find_first_not_of('/'), text.size()));
    add_if_name(text, names);
  }
  return names;
}

// What a source includes by "name": beside it, or where the compiler is told to look, which may be
// the candidate's folder.
Names included_names(const std::string& source, std::string_view text) {
  const std::string folder = source.substr(0, source.rfind('/') + 1);
  Names names;
  for (size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1)) {
    std::string_view rest = text.substr(at + 1);
    auto take = [&](std::string_view word) {
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
      const bool is_there = rest.starts_with(word);
      if (is_there) rest.remove_prefix(word.size());
      return is_there;
    };
    if (!take("include") || !take("\"")) continue;
    const std::string_view name = rest.substr(0, rest.find_first_of("\"\n"));
    add_if_name(folder + std::string(name), names);
    add_if_name(name, names);
  }
  return names;
}

}  // namespace

bool is_header(std::string_view name) { return ends_with_any(name, kHeaderEndings); }

Result<std::vector<NamedText>> files_beside(const Disk& disk, const Candidate& candidate,
                                            std::string_view code) {
  std::vector<NamedText> found;
  const bool is_own_file = !candidate.path.empty() && !candidate.code && candidate.why_none.empty();
  if (!candidate.form->takes_files_beside() || !is_own_file || !code.contains("cpp_extension"))
    return found;
  const std::string folder = std::filesystem::path(candidate.path).parent_path().string();
  Names names = quoted_names(code);
  std::set<std::string> looked_for;
  size_t bytes = 0;
  while (!names.empty()) {
    std::string name = std::move(names.back());
    names.pop_back();
    if (!looked_for.insert(name).second) continue;
    auto text = disk.read_inside(folder, name, kMostExtensionBytes - bytes + 1);
    if (!text) continue;
    bytes += text->size();
    if (found.size() == kMostExtensionFiles || bytes > kMostExtensionBytes)
      return error(Code::invalid_input,
                   fmt::format("with the files beside it that it names, '{}' among them, it has "
                               "more than {} files or {} bytes",
                               name, kMostExtensionFiles, kMostExtensionBytes));
    for (std::string& included : included_names(name, *text)) names.push_back(std::move(included));
    found.push_back({std::move(name), std::move(*text)});
  }
  std::ranges::sort(found, {}, &NamedText::name);
  return found;
}

}  // namespace assay

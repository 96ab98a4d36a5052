#include "base/glob.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <set>

#include "base/escape.h"
#include "base/units.h"
#include "base/words.h"

namespace assay {
namespace {

// What may have been meant by a pattern that matches none of the paths.
std::string meant(const std::string& pattern, const std::vector<std::string>& paths) {
  std::set<std::string> known;
  for (const std::string& path : paths) {
    for (size_t slash = path.find('/'); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      std::string folder = path.substr(0, slash);
      if (pattern == folder || pattern == folder.substr(folder.rfind('/') + 1))
        return fmt::format(" (did you mean '{}/*'?)", pattern);
      known.insert(path.substr(slash + 1));
    }
    known.insert(path);
  }
  return did_you_mean(pattern, std::vector<std::string>(known.begin(), known.end()));
}

// What a pattern's components match below `folder`, component by component.
void expand_below(const Disk& disk, const std::string& folder, const std::string& pattern,
                  std::vector<std::string>& found) {
  size_t slash = pattern.find('/');
  std::string first = pattern.substr(0, slash);
  std::string rest = slash == std::string::npos ? "" : pattern.substr(slash + 1);
  auto go_on = [&](const std::string& name) {
    std::string path = folder.empty() ? name : join_path(folder, name);
    if (rest.empty()) {
      if (disk.exists(path)) found.push_back(path);
    } else {
      expand_below(disk, path, rest, found);
    }
  };
  if (!is_glob(first)) return go_on(first);
  auto entries = disk.list(folder.empty() ? "." : folder);
  if (!entries) return;  // no folder, or none that can be read: nothing matches there
  for (const DirectoryEntry& entry : *entries)
    if (::fnmatch(first.c_str(), entry.name.c_str(), FNM_PERIOD) == 0) go_on(entry.name);
}

}  // namespace

bool is_glob(std::string_view text) { return text.find_first_of("*?[") != std::string_view::npos; }

bool matches_glob(const std::string& pattern, const std::string& text) {
  return ::fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

bool matches_path(const std::string& pattern, const std::string& path) {
  if (matches_glob(pattern, path)) return true;
  for (size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1))
    if (matches_glob(pattern, path.substr(slash + 1))) return true;
  return false;
}

namespace {

bool matches_any(const std::string& pattern, const std::string& path,
                 const std::vector<std::string>& other_names) {
  return matches_path(pattern, path) ||
         std::ranges::any_of(other_names,
                             [&](const std::string& name) { return matches_glob(pattern, name); });
}

}  // namespace

bool PathFilter::admits(const std::string& path,
                        const std::vector<std::string>& other_names) const {
  auto matches = [&](const std::string& pattern) {
    return matches_any(pattern, path, other_names);
  };
  return (wanted.empty() || std::ranges::any_of(wanted, matches)) &&
         std::ranges::none_of(unwanted, matches);
}

std::vector<std::string> expand_glob(const Disk& disk, const std::string& pattern) {
  std::vector<std::string> found;
  const bool is_absolute = pattern.starts_with('/');
  expand_below(disk, is_absolute ? "/" : "", is_absolute ? pattern.substr(1) : pattern, found);
  return found;
}

Result<std::vector<bool>> select_paths(const PathFilter& filter,
                                       const std::vector<std::string>& paths,
                                       const std::string& noun,
                                       const std::vector<std::vector<std::string>>& other_names) {
  static const std::vector<std::string> kNone;
  auto others = [&](size_t i) -> const auto& {
    return other_names.empty() ? kNone : other_names[i];
  };
  for (const std::string& pattern : filter.wanted) {
    bool found = false;
    for (size_t i = 0; i < paths.size() && !found; ++i)
      found = matches_any(pattern, paths[i], others(i));
    if (!found)
      return error(Code::invalid_input,
                   fmt::format("--filter '{}' matches none of {}{}", printable(pattern, false),
                               format_count(paths.size(), noun), meant(pattern, paths)),
                   "a pattern stands for a whole name, or for the end of a path: 'softmax', "
                   "'*norm*', 'level1/*'");
  }
  std::vector<bool> selected;
  for (size_t i = 0; i < paths.size(); ++i) selected.push_back(filter.admits(paths[i], others(i)));
  if (std::ranges::none_of(selected, std::identity()))
    return error(Code::invalid_input, fmt::format("--filter and --skip leave none of {}",
                                                  format_count(paths.size(), noun)));
  return selected;
}

}  // namespace assay

// Patterns over names made of parts: "suite/level/name".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"
#include "base/status.h"

namespace assay {

// True where `text` has a character that makes it a pattern: * ? [
bool is_glob(std::string_view text);

// The whole of `text` by the shell's rules (fnmatch): * stands for any characters, `/` included,
// ? for one, [abc] and [!abc] for one of a set; a backslash takes the next character literally.
bool matches_glob(const std::string& pattern, const std::string& text);

// True when the pattern matches `path` whole, or what is left of it after one of its `/`: a name
// alone finds it at any place, and "level1/*" needs no suite.
bool matches_path(const std::string& pattern, const std::string& path);

// What a list of wanted and one of unwanted patterns leave of paths. No pattern wanted: all are.
struct PathFilter {
  std::vector<std::string> wanted;
  std::vector<std::string> unwanted;

  bool empty() const { return wanted.empty() && unwanted.empty(); }
  // A path that has other names, too, is meant by each of them.
  bool admits(const std::string& path, const std::vector<std::string>& other_names = {}) const;
};

// The paths that match one that is a pattern, part by part, in their order: what no shell has
// expanded. Names that begin with "." are matched only by a pattern that does.
std::vector<std::string> expand_glob(const Disk& disk, const std::string& pattern);

// For each path whether the filter admits it. Fails where a wanted pattern matches no path at all,
// with what may have been meant, and where no path is left. `noun` says what they are;
// `other_names`, where there are any, what each is called besides.
Result<std::vector<bool>> select_paths(
    const PathFilter& filter, const std::vector<std::string>& paths, const std::string& noun,
    const std::vector<std::vector<std::string>>& other_names = {});

}  // namespace assay

// Compilers of the user's own, by name: ~/.config/assay/compilers.toml. Each is an author beside
// the installed one, iree@NAME, so that a release can be compared with the last.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"
#include "base/status.h"

namespace assay {

// What names of authors begin with that are IREE told how, or another version of it.
inline constexpr std::string_view kNamedIree = "iree@";

struct OwnCompiler {
  std::string name;  // "3.12"
  std::string path;  // a virtual environment, a build, an installation, or the compiler's file
};

// What its author is called: "iree@3.12".
std::string author_name(const OwnCompiler& compiler);
// The one whose author has this name; nothing: none has. The file is read where one might.
Result<std::optional<OwnCompiler>> own_compiler_of(const Disk& disk, std::string_view author);

// Where they are declared; "" without a home.
std::string own_compilers_file();
// In the order of their names. None where there is no such file. Fails on what says no path.
Result<std::vector<OwnCompiler>> own_compilers(const Disk& disk);

}  // namespace assay

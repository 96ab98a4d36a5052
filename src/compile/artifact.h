// A look into what the compiler made: a VM module, which is a ZIP archive with one file per
// executable.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace assay {

struct ArchiveFile {
  std::string name;
  std::string_view bytes;  // of the archive
};

// The files of a ZIP archive that are stored as they are, as the compiler stores all of its own.
// Fails when the bytes are no whole archive, or a file in it is compressed.
Result<std::vector<ArchiveFile>> files_of_archive(std::string_view archive);

// True when the bytes are a whole VM module: a FlatBuffer, or an archive that holds one. Its two
// ends are where they must be.
bool is_whole_module(std::string_view bytes);

// What is wrong with how the code in an artifact was linked, as one line; nothing when it is sound.
// Looks at libraries for IREE's own loader, which brings no library: what they leave undefined is
// missing when they run. An artifact that is no archive holds none.
std::optional<std::string> link_complaint(std::string_view artifact);

}  // namespace assay

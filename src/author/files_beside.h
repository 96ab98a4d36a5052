// What is handed in with a candidate, of the files that lie beside it: sources of its C++
// extensions.
#pragma once

#include <string_view>
#include <vector>

#include "author/candidate.h"
#include "base/disk.h"
#include "base/status.h"
#include "run/extension.h"

namespace assay {

// By its ending: .h, .cuh, .inc and the like.
bool is_header(std::string_view name);

// Of a candidate in Python that is a file of its own and speaks of extensions: the files in that
// one's folder, and in sub-folders, whose names stand in quotes in its code and end as those of
// sources and headers do, and what these include by "name". Sorted by names. The candidate may be
// hostile: what is no regular file there, or is reached through a link, is none of them. Fails
// where they are more than one extension can have.
Result<std::vector<NamedText>> files_beside(const Disk& disk, const Candidate& candidate,
                                            std::string_view code);

}  // namespace assay

// What `assay write` tells while it goes on.
#pragma once

#include <memory>

#include "cli/output.h"
#include "cli/progress.h"
#include "search/writing.h"

namespace assay {

// `searches`: how many there are.
std::unique_ptr<WriteEvents> make_write_progress(ProgressStyle style, Output& output,
                                                 size_t searches);

}  // namespace assay

// What `assay tune` tells while it goes on.
#pragma once

#include <memory>

#include "cli/output.h"
#include "cli/progress.h"
#include "tune/tuning.h"

namespace assay {

std::unique_ptr<TuneEvents> make_tune_progress(ProgressStyle style, Output& output);

// What came of one, in lines.
std::string in_words(const TuneResult& result);

}  // namespace assay

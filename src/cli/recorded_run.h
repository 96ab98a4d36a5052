// Runs of `assay write` as recordings: replay:RUN.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "search/writing.h"

namespace assay {

// A run of `assay write` of one model.
Result<std::shared_ptr<RecordedRun>> recorded_run(const std::string& folder);
Result<Recording> recording_of_run(const std::string& folder);

// With --recorded-verdicts: the writer is who it was then, as its author and its model.
Status take_verdicts(Writer& writer);

// Which answers of the writers' recordings are judged otherwise than they were; "": none of them is
// a recording with verdicts.
std::string changes_in_words(const SearchRecord& record, const std::vector<Writer>& writers);

}  // namespace assay

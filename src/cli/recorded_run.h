// Runs of `assay write` as recordings: replay:RUN.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "search/writing.h"

namespace assay {

// Of one model: "RUN", or "RUN#AUTHOR" where several wrote.
Result<std::shared_ptr<RecordedRun>> recorded_run(const std::string& written);
Result<Recording> recording_of_run(const std::string& written);

// With --recorded-verdicts: the writer is who it was then, as its author and its model. Refuses
// another language than that of its answers.
Status take_verdicts(Writer& writer, const std::string& language);

// How answers of recordings are judged now, beside how they were then.
struct Changes {
  struct Change {
    std::string problem;
    int attempt = 0, sample = 0;
    std::string then, now;  // "rejected (wrong)", "accepted, faster"
  };
  size_t compared = 0;  // 0: no writer is a recording with verdicts
  std::vector<Change> changed{};
};
Changes changes_in(const SearchRecord& record, const std::vector<Writer>& writers);
std::string in_words(const Changes& changes);
Json to_json(const Changes& changes);

}  // namespace assay

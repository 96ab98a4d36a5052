// Answers that were recorded, in the place of a model.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "provider/provider.h"

namespace assay {

// What replay: names: "FILE", "RUN", or "RUN#AUTHOR" where several models wrote.
struct RecordingName {
  std::string folder;  // of a run; "": it is a file
  std::string author;  // "": whoever wrote
};
RecordingName recording_name(const Disk& disk, const std::string& written);

// Answers by Question::node.
std::unique_ptr<Provider> replay_of(Recording recording);

// One answer as a line of a recording (docs/formats.md), without its end.
std::string recorded_line(const std::string& node, const Answer& answer);
// `where` names the line in errors.
Result<std::pair<std::string, Answer>> read_recorded_line(std::string_view line,
                                                          const std::string& where);
// All lines; `path` names the file in errors.
Result<Recording> read_recording(std::string_view text, const std::string& path);

}  // namespace assay

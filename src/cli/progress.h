#pragma once

#include <memory>

#include "base/clock.h"
#include "cli/command.h"
#include "cli/output.h"
#include "session/events.h"

namespace assay {

enum class ProgressStyle {
  terminal,  // one line that is rewritten, with what is left and how long that may take
  lines,     // one line per finished attempt
  json,      // one JSON event per line
  quiet,     // nothing
};

// The events of a run as people and programs read them.
class Progress : public Events {
 public:
  // Something that a person is told beside, in whole lines. Programs find it in the records.
  virtual void note(const std::string& lines) = 0;
  // The last words: status of the whole run, and where the report lies.
  virtual void done(int exit_status, const std::string& summary, const std::string& folder) = 0;
};

// As --quiet and --json say, else as a person reads it there.
ProgressStyle progress_style(const Arguments& arguments, const Output& output);

std::unique_ptr<Progress> make_progress(ProgressStyle style, Output& output, const Clock& clock);

}  // namespace assay

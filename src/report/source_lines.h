#pragma once

#include <string>
#include <vector>

#include "model/attempt.h"

namespace assay {

// A line of a file that the deciding stage complained about.
struct SourceLine {
  int line = 0;  // from 1
  std::string text;
};

// Where a compiler or a traceback names a line of this file, by its name alone: "fast.c:12:5:
// error:
// ..." or `File "/mine/fast.py", line 12`, with what stands behind. In the order of the messages.
std::vector<SourceLine> lines_named(const Attempt& attempt, const std::string& file_name);

}  // namespace assay

// The parts of feedback, by what is to be said.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/feedback.h"

namespace assay {

// "cannot open /home/you/x.h" without the folders, which are of this machine and nobody's business.
std::string without_paths(std::string_view text);
// Lines as a list, with what is empty left out.
std::string as_list(const std::vector<std::string>& lines);

// Of a compiler's log: the first error with the lines that show it, and then the last lines. The
// source's own line stands with it where the log does not show that.
std::string log_excerpt(const std::string& log, const std::string& code);
// Of a traceback in Python: where it was raised in the candidate's own code, with the lines.
std::string trace_excerpt(const std::string& traceback, const std::string& code);

// Of a rejected attempt: what is wrong, where, by how much, and what it may come from.
std::string words_of_wrong(const StageRecord& stage);
// Undecided, and all that was seen of it lies below the goal.
bool looks_too_slow(const Speedup& speedup, const FeedbackTerms& terms);
// Of an accepted attempt that was timed.
std::string words_of_speed(const Attempt& attempt, const FeedbackTerms& terms);

}  // namespace assay

// The user's own files, as reports name them.
#pragma once

#include <string>

#include "model/attempt.h"

namespace assay {

// A stage's error, whose place in a file ("(gelu.py:7:12)", at its end) has that file's path: what
// lies below `folder` from there on, "(mine/gelu.py:7:12)", and all else whole.
std::string error_with_path(const Attempt& attempt, const StageRecord& stage,
                            const std::string& folder);

// The path of the file that a candidate is in, without its number there; "" of what is made of the
// problem.
std::string candidate_file(const Attempt& attempt);

// The file that a candidate is in, where its id does not say it: "fast.c", "answers.jsonl#3". "" of
// one that is called as its problem is, and of one that is its author's only file.
std::string file_beside_id(const Attempt& attempt);

}  // namespace assay

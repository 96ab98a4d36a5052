// What `assay show` says of an attempt that a model's answer was: whose step it was, and what
// changed in it.
#pragma once

#include <string>

#include "model/attempt.h"
#include "model/search_record.h"

namespace assay {

// "": no answer of the search is this attempt.
std::string show_answer(const SearchRecord& record, const Attempt& attempt);

// What of an answer is code; "" where none is.
std::string code_of_answer(const SearchNode& node);

}  // namespace assay

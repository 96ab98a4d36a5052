// From an attempt's record to what a search keeps of it.
#pragma once

#include "model/attempt.h"
#include "model/search_node.h"
#include "search/feedback.h"

namespace assay {

NodeVerdict verdict_for(const Attempt& attempt, Feedback feedback);

// Of an answer that nothing can be judged of: it was cut off, refused, or has no code in the
// language that was asked for.
NodeVerdict verdict_without_code(const NodeAnswer& answer, const std::string& why);

}  // namespace assay

// What is said to a language model of a verdict: plain words, shortest first, from the record
// alone.
#pragma once

#include <string>

#include "model/attempt.h"

namespace assay {

struct Feedback {
  std::string kind;  // one of a few words: "compile error", "wrong", "forbidden", "slow", "fast"...
  std::string text;  // for the prompt
};

struct FeedbackTerms {
  double goal = 1;       // --goal: times as fast
  std::string language;  // of the code
};

// `code`: what was judged, for the lines that errors name.
Feedback feedback_on(const Attempt& attempt, const std::string& code, const FeedbackTerms& terms);

}  // namespace assay

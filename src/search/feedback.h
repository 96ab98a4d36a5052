// What is said to a language model of a verdict: plain words, shortest first, from the record
// alone.
#pragma once

#include <string>
#include <vector>

#include "model/attempt.h"

namespace assay {

struct Feedback {
  // "compile error", "no code", "crash", "exception", "timeout", "memory", "wrong", "forbidden",
  // "slow", "undecided", "right", "fast", "not judged", "problem"
  std::string kind;
  std::string text;         // for the prompt
  std::string for_hints{};  // what hints are looked up in: the kind, and all of the error
};

struct FeedbackTerms {
  double goal = 1;             // --goal: times as fast
  std::string language;        // of the code
  bool allow_library = false;  // --allow library: torch may compute the result
  // What counters said of it (--counters): sentences that stand with its speed.
  std::vector<std::string> counted{};
};

// `code`: what was judged, for the lines that errors name. Says nothing of seeds: whoever is judged
// next gets other inputs.
Feedback feedback_on(const Attempt& attempt, const std::string& code, const FeedbackTerms& terms);

}  // namespace assay

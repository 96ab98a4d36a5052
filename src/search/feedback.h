// What is said to a language model of a verdict: plain words, shortest first, from the record
// alone.
#pragma once

#include <string>
#include <vector>

#include "model/attempt.h"
#include "model/search_tree.h"

namespace assay {

struct Feedback {
  // "compile error", "no code", "crash", "exception", "timeout", "memory", "wrong", "forbidden",
  // "library", "fallback", "slow", "undecided", "right", "fast", "not judged", "problem"
  std::string kind;
  std::string text;         // for the prompt
  std::string for_hints{};  // what hints are looked up in: the kind, and all of the error
};

struct FeedbackTerms {
  double goal = 1;              // --goal: times as fast
  std::string language{};       // of the code
  bool allow_library = false;   // --allow library: torch may compute the result
  bool allow_fallback = false;  // --allow fallback: so it may after an error
  // What counters said of it (--counters): sentences that stand with its speed.
  std::vector<std::string> counted{};
};

// What a search allows. `counted` as above.
FeedbackTerms feedback_terms(const SearchTerms& terms, std::string language,
                             std::vector<std::string> counted = {});

// Whether it was not judged since its code is for a device that the target is not. That was its own
// choice: --lang is refused where it does not fit the target.
bool is_for_another_device(const Attempt& attempt);

// `code`: what was judged, for the lines that errors name. Says nothing of seeds: whoever is judged
// next gets other inputs.
Feedback feedback_on(const Attempt& attempt, const std::string& code, const FeedbackTerms& terms);

}  // namespace assay

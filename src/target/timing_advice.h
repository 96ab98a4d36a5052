#pragma once

#include <string>
#include <vector>

#include "target/timing_facts.h"

namespace assay {

// One thing that decides how small a difference this machine can tell.
struct TimingAdvice {
  std::string what;  // in a word or two
  bool is_fine = false;
  std::string found;  // as it is here, with what that costs; "not visible here"
};

// All of them, in one order.
std::vector<TimingAdvice> timing_advice(const TimingFacts& facts);

}  // namespace assay

#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/json.h"
#include "model/words.h"

namespace assay {

// A check as others make it: both models under a seed that everybody knows, and results that are
// near each other by a tolerance, on inputs that the problem draws.
struct OtherCheck {
  std::string name;
  std::string mode;   // what the models are put into: "eval", "train"
  uint32_t seed = 0;  // of the models, and of the seeds of the trials
  int trials = 0;
  std::array<double, 4> tolerance{};  // absolute and relative, by Precision

  double tolerance_at(Precision precision) const {
    return tolerance.at(static_cast<size_t>(precision));
  }
};

// Raised when it is made, or told, otherwise.
inline constexpr int kOtherCheckVersion = 2;

// Of the same values, and of others another one: part of what identifies an attempt.
Json to_json(const OtherCheck& check);

}  // namespace assay

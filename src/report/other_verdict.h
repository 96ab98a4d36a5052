// What another bench's check said of an attempt (--policy): a column of its own.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "model/attempt.h"

namespace assay {

struct OtherVerdict {
  std::string name;             // of the check
  std::optional<bool> correct;  // nothing: it is not known, and `why` says why
  int64_t passed = 0, trials = 0;
  std::string why;  // of the first trial that did not pass
};

// Nothing where none was asked for, and of what nobody could check.
std::optional<OtherVerdict> other_verdict(const Attempt& attempt);

// "correct", "wrong", "-".
std::string correct_cell(const Attempt& attempt);

// The name of the check that these attempts have; "" where none has.
std::string check_name(std::span<const Attempt> attempts);

// Where the two differ: "kernelbench: 10 correct, 3 wrong; correct and not accepted here 2, wrong
// and accepted 0". "" where there is no check.
std::string others_in_words(std::span<const Attempt> attempts);

}  // namespace assay

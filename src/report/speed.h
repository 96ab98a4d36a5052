// How fast attempts are, in words.
#pragma once

#include <string>

#include "model/attempt.h"

namespace assay {

// "faster, 6.72x eager (6.33 to 7.25)" for each baseline, one behind the other; "" where it was not
// timed. Ends in ", provisional" where that is so.
std::string speed_in_words(const Attempt& attempt);

// "faster 6.72x" of the first baseline, for a table; "-" where it was not timed.
std::string speed_cell(const Attempt& attempt);

// All of it, in lines; "" where it was not timed.
std::string timing_in_words(const Attempt& attempt);

}  // namespace assay

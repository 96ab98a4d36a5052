// How fast attempts are, in words.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/attempt.h"

namespace assay {

// Accepted, and asked to be timed in vain: reason() says why.
bool is_not_timed(const Attempt& attempt);
// Or was to be.
bool any_is_timed(std::span<const Attempt> attempts);

// Whether `low` and `high` are bounds: where launches were too few, they are no more than what
// these were.
bool has_interval(const Timing& timing, const Speedup& speedup);

// Whether its times are numbers. For want of launches or of resolution an estimate is still one;
// where a rule distrusts the times themselves, what they come to is none.
bool do_times_hold(const Speedup& speedup);

// The speed-up over this baseline; null: it was not timed against it.
const Speedup* against(const Timing& timing, const std::string& baseline);

// Three digits that count, "6.72"; more where they are all before the point.
std::string ratio_in_words(double ratio);

// "faster, 6.72x eager (6.33 to 7.25)" for each baseline, one behind the other; "not timed: " and
// why; "" where nobody asked. Ends in ", provisional" where that is so.
std::string speed_in_words(const Attempt& attempt);

// "faster 6.72x" of the first baseline, for a table; "-" where nobody asked.
std::string speed_cell(const Attempt& attempt);

// "; no roofline for f16: ...", where this machine has no peak of the type; "" otherwise.
std::string no_roofline_in_words(const std::string& type_without_peak);

// What formats for programs have beside each other, by name: the outcome, the candidate's times and
// rates, and the first baseline's. "" is absent; a number reads back as the same.
std::vector<std::pair<std::string_view, std::string>> timing_fields(const Attempt& attempt);

// All of it, in lines; "" where it was not timed.
std::string timing_in_words(const Attempt& attempt);

}  // namespace assay

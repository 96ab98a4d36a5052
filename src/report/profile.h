// Times that are held against nothing, and what they are of, in words and fields.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/attempt.h"
#include "model/run_record.h"
#include "report/table.h"

namespace assay {

// Of the definition's work, by the profile's time.
struct ProfileRates {
  double gb_per_s = 0;
  std::optional<double> gflop_per_s;       // absent where there is nothing to count
  std::optional<double> roofline_percent;  // absent on a machine that is not calibrated
};
ProfileRates rates_of(const Profile& profile);

// Useful operations for each byte of inputs and results. Nothing where there are none.
std::optional<double> intensity_of(const Attempt& attempt);

// What an author is called where it compiles with a configuration of its own: the part behind "@";
// "default" where it has none.
std::string configuration_of(const Attempt& attempt);

// "12.3 us", for a table; "-" where there is none.
std::string profile_cell(const Attempt& attempt);

// Whether somebody asked for such times. A search has them beside those of what it judges.
bool has_profiles(const RunRecord& run, const std::vector<Attempt>& attempts);

// A table of all attempts that are held against nothing, by problem, the fastest first; the first
// row is its head. Empty where nobody asked for times.
std::vector<Row> profile_rows(const RunRecord& run, const std::vector<Attempt>& attempts);
// What stands above it.
std::string profile_title(const std::vector<Attempt>& attempts);

// What formats for programs have beside each other, by name. "" is absent; a number reads back as
// the same.
std::vector<std::pair<std::string_view, std::string>> profile_fields(const Attempt& attempt);

// All of it, in lines; "" where there is none.
std::string profile_in_words(const Attempt& attempt);

}  // namespace assay

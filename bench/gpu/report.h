// What an experiment says: one line of JSON for each finding, at once, so that an experiment that
// hangs has said what it found before.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::gpu {

// Prints why this process can't go on, and ends it. In a candidate's process it tells the judge.
[[noreturn]] void die(const char* format, ...) __attribute__((format(printf, 1, 2)));
// Called with the text by die, before the end.
void on_death(void (*tell)(const char* text));

class Row {
 public:
  explicit Row(std::string_view name) { text("row", name); }
  Row& text(std::string_view key, std::string_view value);
  Row& number(std::string_view key, double value);  // rounded to three decimals
  Row& whole(std::string_view key, int64_t value);
  Row& flag(std::string_view key, bool value);
  Row& numbers(std::string_view key, const std::vector<double>& values);
  Row& raw(std::string_view key, std::string_view json);
  // "KEY_median", "KEY_p10", "KEY_p90", "KEY_p99" and "KEY_max"; in microseconds of nanoseconds.
  Row& spread_us(std::string_view key, std::vector<int64_t> values_ns);
  void print() const;

 private:
  std::string body_;
};

int64_t now_ns();
void sleep_us(int64_t microseconds);
// Of values in any order; part 0.5 is the median. 0 of none.
double quantile(std::vector<double> values, double part);
int64_t quantile(std::vector<int64_t> values, double part);

}  // namespace assay::gpu

#include "base/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace assay {
namespace {

// Levenshtein distance, one row at a time.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string> nearest_word(std::string_view typed,
                                        std::span<const std::string> known) {
  std::optional<std::string> best;
  size_t best_distance = std::max<size_t>(1, typed.size() / 3) + 1;
  for (const std::string& word : known) {
    size_t distance = edit_distance(typed, word);
    if (distance < best_distance) {
      best_distance = distance;
      best = word;
    }
  }
  return best;
}

std::string suggestion(std::string_view typed, std::span<const std::string> known) {
  if (auto near = nearest_word(typed, known)) return fmt::format(" (did you mean '{}'?)", *near);
  if (known.empty()) return "";
  return fmt::format("; known are: {}", fmt::join(known, ", "));
}

}  // namespace assay

// How alike a result is to the exact one as a whole, in the figures that people ask of networks.
// They decide nothing: a result may be very like and wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/json.h"
#include "verify/compare.h"

namespace assay {

// Which of a row is largest.
struct Choice {
  uint64_t row = 0;
  uint64_t exact = 0, candidate = 0, baseline = 0;  // which of the row is largest
  double margin = 0;  // by how much the exact result's is larger than its next
  double less = 0;    // by how much the candidate's is less, in the exact result; 0: it is as good
};

// Of rows of numbers, such as a language model's for each word that may come next.
struct Choices {
  uint64_t rows = 0;
  uint64_t same = 0, baseline_same = 0;  // the exact result's
  uint64_t in_five = 0;                  // among the exact result's five largest
  // Where it is another: by how much the exact one is larger, at most.
  double widest_margin = 0;
  // Where it is another, what costs most first; then where the next is closest. So many at most.
  std::vector<Choice> closest{};
};
inline constexpr size_t kMostChoices = 16;

struct Likeness {
  double cosine = 0, baseline_cosine = 0;  // of the angle to the exact result
  std::optional<Choices> choices{};        // of rows of 16 and more, in two dimensions and more
  std::vector<int64_t> shape{};            // of the rows: without the last dimension
};

// Of floating-point values with this shape. Nothing where some are not finite, or all are 0.
std::optional<Likeness> likeness(const Values& values, const std::vector<int64_t>& shape);

Json to_json(const Likeness& likeness);

}  // namespace assay

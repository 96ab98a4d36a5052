#include "verify/likeness.h"

#include <algorithm>
#include <cmath>

#include "verify/elements.h"
#include "verify/number.h"

namespace assay {
namespace {

constexpr int64_t kLeastOfRow = 16;
constexpr uint64_t kFew = 5;

// Sums of products of two results, and of squares.
struct Angle {
  double products = 0, squares = 0, exact_squares = 0;

  void add(const double* values, const double* exact, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
      products += values[i] * exact[i];
      squares += values[i] * values[i];
      exact_squares += exact[i] * exact[i];
    }
  }
  double cosine() const { return products / (std::sqrt(squares) * std::sqrt(exact_squares)); }
};

uint64_t largest_of(const std::vector<double>& row) {
  return static_cast<uint64_t>(std::ranges::max_element(row) - row.begin());
}

void add_row(const std::vector<double>& candidate, const std::vector<double>& baseline,
             const std::vector<double>& exact, Choices& choices) {
  const double most = exact[largest_of(exact)];
  const double chosen = exact[largest_of(candidate)];
  ++choices.rows;
  // Two that are equal are as good as each other.
  choices.same += chosen == most ? 1 : 0;
  choices.baseline_same += exact[largest_of(baseline)] == most ? 1 : 0;
  choices.widest_margin = std::max(choices.widest_margin, most - chosen);
  const auto larger = std::ranges::count_if(exact, [&](double each) { return each > chosen; });
  choices.in_five += static_cast<uint64_t>(larger) < kFew ? 1 : 0;
}

}  // namespace

std::optional<Likeness> likeness(const Values& values, const std::vector<int64_t>& shape) {
  const int64_t last = shape.empty() ? 0 : shape.back();
  const bool has_choices = shape.size() >= 2 && last >= kLeastOfRow;
  // In rows where there are any, else in pieces of a usual size.
  const uint64_t piece = has_choices ? static_cast<uint64_t>(last) : kBlockElements;
  Angle candidate_angle, baseline_angle;
  Choices choices;
  std::vector<double> candidate, baseline, exact;
  for (uint64_t first = 0; first < values.elements; first += piece) {
    const uint64_t count = std::min(piece, values.elements - first);
    for (auto* each : {&candidate, &baseline, &exact}) each->resize(count);
    const uint64_t at = first * bytes_of(values.dtype);
    load_block(values.dtype, values.candidate + at, count, candidate.data());
    load_block(values.dtype, values.baseline + at, count, baseline.data());
    load_block(values.exact_dtype, values.exact + first * bytes_of(values.exact_dtype), count,
               exact.data());
    candidate_angle.add(candidate.data(), exact.data(), count);
    baseline_angle.add(baseline.data(), exact.data(), count);
    if (has_choices) add_row(candidate, baseline, exact, choices);
  }
  Likeness found{candidate_angle.cosine(), baseline_angle.cosine()};
  if (!std::isfinite(found.cosine) || !std::isfinite(found.baseline_cosine)) return std::nullopt;
  if (has_choices) found.choices = choices;
  return found;
}

Json to_json(const Likeness& likeness) {
  Json json{{"cosine", likeness.cosine}, {"baseline_cosine", likeness.baseline_cosine}};
  if (const auto& choices = likeness.choices)
    json["choices"] = {{"rows", choices->rows},
                       {"same", choices->same},
                       {"baseline_same", choices->baseline_same},
                       {"in_five", choices->in_five},
                       {"widest_margin", choices->widest_margin}};
  return json;
}

}  // namespace assay

// From figures to error ratios.
#include <algorithm>
#include <limits>

#include "verify/compare.h"
#include "verify/number.h"

namespace assay {

// What a result in double is held against was computed in double, too, and often in the very order
// that the baseline takes: the roundings of its sums are nobody's.
constexpr double kDoubleRoundings = 8;

// Of the measure `close`: one rounding is off by 0.42 u on the whole, and two by this. A step of
// the inputs is two roundings of theirs; what they move a product by has six of its own.
constexpr double kCloseRounding = 0.8, kCloseMoved = 0.25;

Ratios ratios(const Figures& figures, const Sensitivity& sensitivity, Measure measure) {
  const bool is_close = measure == Measure::close;
  const double rounding = is_close ? kCloseRounding : 1, moved = is_close ? kCloseMoved : 1;
  double u = unit_roundoff(figures.dtype);
  if (figures.dtype == Dtype::f64) u *= kDoubleRoundings;
  // Half of the smallest step: what rounding to a subnormal number costs. Of whole numbers a half,
  // which any difference exceeds twice.
  double least =
      std::max(smallest_step(figures.dtype) / 2, std::numeric_limits<double>::denorm_min());
  Ratios result;
  result.rms_unit = std::max({figures.baseline_rms, sensitivity.baseline_rms,
                              rounding * u * figures.exact_rms, least, moved * sensitivity.rms});
  result.max_unit = std::max({figures.baseline_max, sensitivity.baseline_max, u * figures.exact_max,
                              least, moved * sensitivity.max});
  constexpr double kMost = std::numeric_limits<double>::max();
  result.rms = std::min(figures.candidate_rms / result.rms_unit, kMost);
  result.max = std::min(figures.candidate_max / result.max_unit, kMost);
  return result;
}

void keep_baseline(const Figures& from, Figures& to) {
  to.baseline_rms = from.baseline_rms;
  to.baseline_max = from.baseline_max;
  to.baseline_unequal = from.baseline_unequal;
  to.baseline_gross = from.baseline_gross;
  to.baseline_sides = from.baseline_sides;
}

double Sides::most() const {
  if (off == 0) return 0;
  return static_cast<double>(std::max({inward, off - inward, up, off - up})) /
         static_cast<double>(off);
}

void Sides::add(const Sides& more) {
  off += more.off;
  inward += more.inward;
  up += more.up;
}

void Sensitivity::widen(const Sensitivity& other) {
  rms = std::max(rms, other.rms);
  max = std::max(max, other.max);
  baseline_rms = std::max(baseline_rms, other.baseline_rms);
  baseline_max = std::max(baseline_max, other.baseline_max);
  gross = std::max(gross, other.gross);
  unequal = std::max(unequal, other.unequal);
}

Sensitivity baseline_error(const Figures& figures) {
  return {.baseline_rms = figures.baseline_rms, .baseline_max = figures.baseline_max};
}

}  // namespace assay

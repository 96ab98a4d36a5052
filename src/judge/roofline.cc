#include "judge/roofline.h"

#include <algorithm>

namespace assay {

double ns_for_bytes(uint64_t bytes, CacheMode cache, int threads, const Calibration& calibration) {
  // More than any cache holds: what is left is main memory's own.
  constexpr uint64_t kBeyondCaches = uint64_t{1} << 50;
  const uint64_t footprint = cache == CacheMode::hot ? bytes : kBeyondCaches;
  const double per_second = calibration.bandwidth_at(footprint, threads);
  return 1e9 * static_cast<double>(bytes) / per_second;
}

std::optional<double> ns_for_flops(const Work& work, int threads, const Calibration& calibration) {
  if (work.flops.value_or(0) <= 0) return std::nullopt;
  const auto peak = calibration.operations_per_second(work.type, threads);
  if (!peak) return std::nullopt;
  return 1e9 * static_cast<double>(*work.flops) / *peak;
}

std::optional<double> bound_ns(const Work& work, CacheMode cache, int threads,
                               const Calibration& calibration) {
  if (!type_without_peak(work, calibration).empty()) return std::nullopt;
  return std::max(ns_for_bytes(work.bytes, cache, threads, calibration),
                  ns_for_flops(work, threads, calibration).value_or(0));
}

std::string type_without_peak(const Work& work, const Calibration& calibration) {
  const bool is_counted = work.flops.value_or(0) > 0;
  return is_counted && !calibration.operations_per_second(work.type, 1) ? work.type : "";
}

std::optional<double> sol_score(double call_ns, double baseline_ns, double bound_ns) {
  const double room = baseline_ns - bound_ns;
  if (room <= 0) return std::nullopt;
  // A time below the bound, which is measured, too, is as good as the bound.
  return 1 / (1 + std::max(call_ns - bound_ns, 0.0) / room);
}

}  // namespace assay

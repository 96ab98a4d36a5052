#include "report/estimators.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace assay {

double pass_at(size_t k, size_t n, size_t c) {
  k = std::min(k, n);
  if (n - c < k) return 1;
  // C(n-c,k) / C(n,k), factor by factor: neither of them needs to be held.
  double none = 1;
  for (size_t i = n - c + 1; i <= n; ++i)
    none *= 1 - static_cast<double>(k) / static_cast<double>(i);
  return 1 - none;
}

double best_at(size_t k, std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const size_t n = sorted.size();
  k = std::min(k, n);
  // The i-th smallest is the largest drawn in C(i-1,k-1) of C(n,k) draws.
  double weight = static_cast<double>(k) / static_cast<double>(n), mean = 0;
  for (size_t i = n; i >= k; --i) {
    mean += weight * sorted[i - 1];
    if (i > 1) weight *= static_cast<double>(i - k) / static_cast<double>(i - 1);
  }
  return mean;
}

double log_in_mean(double ratio) {
  return std::clamp(std::log(ratio), -std::log(kMostInMean), std::log(kMostInMean));
}

std::optional<double> geometric_mean(std::span<const double> logs) {
  if (logs.empty()) return std::nullopt;
  double sum = 0;
  for (double each : logs) sum += each;
  return std::exp(sum / static_cast<double>(logs.size()));
}

}  // namespace assay

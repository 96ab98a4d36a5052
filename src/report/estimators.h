// The figures that benches of kernels are compared by: pure functions of counts and speed-ups.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace assay {

// pass@k: the chance that of k candidates, drawn without replacement from n of which c are right,
// at least one is. 1 - C(n-c,k) / C(n,k), the unbiased estimate of Chen et al. 2021. Where there
// are fewer than k, all are drawn. n, k >= 1; c <= n.
double pass_at(size_t k, size_t n, size_t c);

// best@k: what the largest of k values, drawn without replacement, is on average. At least one
// value; where there are fewer than k, all are drawn.
double best_at(size_t k, std::span<const double> values);

// In means a speed-up counts as this much at most, and as its inverse at least: one that is beyond
// belief must not carry all others.
inline constexpr double kMostInMean = 100;

// ln of a speed-up as means take it. `ratio` is above 0.
double log_in_mean(double ratio);

// exp of the mean; nothing: there is none.
std::optional<double> geometric_mean(std::span<const double> logs);

}  // namespace assay

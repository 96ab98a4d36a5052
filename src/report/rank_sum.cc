#include "report/rank_sum.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace assay {
namespace {

// How many of the orders of n and m values have each number of inversions (a value of the first
// sample above one of the second), 0 to n m: f(i, j, u) = f(i - 1, j, u - j) + f(i, j - 1, u), as
// the largest of all is of the first sample, and so above all j, or of the second.
std::vector<double> orders_by_inversions(size_t n, size_t m) {
  std::vector<std::vector<double>> orders(n + 1, std::vector<double>(n * m + 1));
  for (std::vector<double>& each : orders) each[0] = 1;  // where the second sample is empty
  for (size_t j = 1; j <= m; ++j)
    for (size_t i = 1; i <= n; ++i)
      for (size_t u = j; u <= n * m; ++u) orders[i][u] += orders[i - 1][u - j];
  return orders[n];
}

// By number of inversions, how often there are that many or fewer. Exact: counts of orders up to
// C(48, 24) are whole in a double.
std::vector<double> chances_of_at_most(size_t n, size_t m) {
  std::vector<double> sums = orders_by_inversions(n, m);
  std::partial_sum(sums.begin(), sums.end(), sums.begin());
  const double all = sums.back();
  for (double& each : sums) each /= all;
  return sums;
}

}  // namespace

double chance_of_so_low(std::span<const double> low, std::span<const double> high) {
  size_t inversions = 0;
  for (double below : low)
    for (double above : high)
      if (below >= above) ++inversions;
  return chances_of_at_most(low.size(), high.size())[inversions];
}

Interval shift_between(std::span<const double> a, std::span<const double> b, double alpha) {
  std::vector<double> differences;
  for (double from : a)
    for (double to : b) differences.push_back(to - from);
  std::ranges::sort(differences);
  const std::vector<double> chances = chances_of_at_most(a.size(), b.size());
  size_t left_out = 0;  // at each end
  while (2 * chances[left_out] <= alpha) ++left_out;
  left_out = left_out > 0 ? left_out - 1 : 0;
  return {differences[left_out], median(differences),
          differences[differences.size() - 1 - left_out]};
}

std::vector<double> holm_adjusted(std::span<const double> chances) {
  std::vector<size_t> order(chances.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return chances[i]; });
  std::vector<double> adjusted(chances.size());
  double so_far = 0;
  for (size_t rank = 0; rank < order.size(); ++rank) {
    const auto left = static_cast<double>(order.size() - rank);
    so_far = std::max(so_far, std::min(1.0, left * chances[order[rank]]));
    adjusted[order[rank]] = so_far;
  }
  return adjusted;
}

}  // namespace assay

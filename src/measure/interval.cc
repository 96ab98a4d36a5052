#include "measure/interval.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace assay {
namespace {

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::ranges::sort(copy);
  return copy;
}

}  // namespace

int rank_after(int launches) {
  int rank = kLooks[0].rank;
  for (const Look& look : kLooks)
    if (launches >= look.launches) rank = look.rank;
  return rank;
}

double false_alarm(Look look) {
  // 2 sum over i < rank of C(launches, i) / 2^launches.
  double term = std::ldexp(1.0, -look.launches), sum = 0;
  for (int i = 0; i < look.rank; ++i) {
    sum += term;
    term *= static_cast<double>(look.launches - i) / (i + 1);
  }
  return 2 * sum;
}

bool is_look(int launches, int least) {
  return launches == least ||
         (launches > least &&
          std::ranges::find(kLooks, launches, &Look::launches) != std::end(kLooks));
}

double chance_of_faster(int launches, int least) {
  double sum = false_alarm({least, kLooks[0].rank});
  for (const Look& look : kLooks)
    if (look.launches > least && look.launches <= launches) sum += false_alarm(look);
  if (!is_look(launches, least)) sum += false_alarm({launches, rank_after(launches)});
  return sum / 2;  // of both signs
}

double median(std::span<const double> values) {
  const std::vector<double> all = sorted(values);
  const size_t half = all.size() / 2;
  return all.size() % 2 == 1 ? all[half] : (all[half - 1] + all[half]) / 2;
}

double quantile(std::span<const double> values, double part) {
  const std::vector<double> all = sorted(values);
  const auto at = static_cast<size_t>(std::ceil(part * static_cast<double>(all.size())));
  return all[std::clamp<size_t>(at, 1, all.size()) - 1];
}

Interval interval_of(std::span<const double> launches, int rank) {
  const std::vector<double> all = sorted(launches);
  const size_t from_end =
      std::clamp<size_t>(static_cast<size_t>(std::max(rank, 1)), 1, (all.size() + 1) / 2);
  return {all[from_end - 1], median(all), all[all.size() - from_end]};
}

std::optional<Outcome> decided(const Interval& interval) {
  if (interval.low > kDeadBand) return Outcome::faster;
  if (interval.high < -kDeadBand) return Outcome::slower;
  if (interval.low > -kDeadBand && interval.high < kDeadBand) return Outcome::equal;
  return std::nullopt;
}

}  // namespace assay

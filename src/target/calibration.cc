#include "target/calibration.h"

#include <algorithm>

namespace assay {
namespace {

// How many of a cache so many threads have, each on a core of its own. Where nobody says who shares
// it, each has one: what does not fit then fits nowhere.
uint64_t instances(const CacheLevel& cache, const MachineIdentity& machine, int threads) {
  const auto shared_by = static_cast<uint64_t>(cache.shared_by.value_or(1));
  const uint64_t cores = std::max<size_t>(machine.cores.size(), 1);
  return std::min<uint64_t>(static_cast<uint64_t>(threads), (cores + shared_by - 1) / shared_by);
}

// What so many threads have at most, of what one has and all have.
double between(double one, double all, int threads) {
  return threads == 1 ? one : std::min(one * threads, std::max(one, all));
}

}  // namespace

double Calibration::bandwidth_at(uint64_t bytes, int threads) const {
  threads = std::clamp(threads, 1, machine.threads);
  auto rate = [&](std::optional<int> level) {
    double one = 0, all = 0;
    for (const MemoryPeak& peak : memory) {
      if (peak.level != level) continue;
      if (peak.threads == 1) one = std::max(one, peak.bytes.best);
      if (peak.threads == machine.threads) all = std::max(all, peak.bytes.best);
    }
    return between(one, all, threads);
  };
  // From far to near: what is nearer is never slower, whatever a measurement has missed.
  const double main = rate(std::nullopt);
  std::vector<double> rates;
  for (auto cache = machine.caches.rbegin(); cache != machine.caches.rend(); ++cache)
    rates.push_back(std::max(rate(cache->level), rates.empty() ? main : rates.back()));
  std::ranges::reverse(rates);
  if (bytes == 0) return rates.empty() ? main : rates.front();
  double seconds = 0, left = static_cast<double>(bytes);
  for (size_t i = 0; i < rates.size(); ++i) {
    const CacheLevel& cache = machine.caches[i];
    const auto count = static_cast<double>(instances(cache, machine, threads));
    const double held = std::min(left, static_cast<double>(cache.bytes) * count);
    seconds += held / rates[i];
    left -= held;
  }
  return static_cast<double>(bytes) / (seconds + left / main);
}

std::optional<double> Calibration::operations_per_second(std::string_view dtype,
                                                         int threads) const {
  threads = std::clamp(threads, 1, machine.threads);
  double one = 0, all = 0;
  for (const ComputePeak& peak : compute) {
    if (peak.dtype != dtype) continue;
    if (peak.threads == 1) one = std::max(one, peak.operations.best);
    if (peak.threads == machine.threads) all = std::max(all, peak.operations.best);
  }
  if (one <= 0) return std::nullopt;
  return between(one, all, threads);
}

}  // namespace assay

#include "measure/calibrate.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "base/clock.h"
#include "base/memory_gauge.h"
#include "base/version.h"
#include "measure/crew.h"
#include "measure/interval.h"
#include "measure/peak_kernels.h"
#include "measure/timing_lock.h"
#include "target/machine.h"

namespace assay {
namespace {

// Clocks rise and wide units wake only under load.
constexpr int64_t kWarmUpNs = 300'000'000;
constexpr int64_t kRepetitionNs = 2'000'000;
// Of every kernel, and of the fastest once more. All are tried, however long that takes on a busy
// machine: without the one that would be fastest a peak is too low.
constexpr int kTrials = 3, kRepetitions = 12;

// Main memory: more than any cache keeps, as far as the machine has it to spare. With less than
// that peaks come out too high, which is the harmless direction.
constexpr uint64_t kLeastMainBytes = uint64_t{16} << 20, kMostMainBytes = uint64_t{1} << 30;
constexpr uint64_t kAssumedCacheBytes = uint64_t{128} << 20;  // where nobody says
constexpr uint64_t kPartOfMachine = 4;
// What is larger is gone through in pieces, one after the other.
constexpr uint64_t kPieceBytes = uint64_t{12} << 20;

// In huge pages, where the system has them: how a kernel's own memory lies is not to be a limit.
class Pages {
 public:
  static Result<Pages> take(uint64_t bytes) {
    void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) return errno_error("take memory to measure bandwidths in");
    ::madvise(data, bytes, MADV_HUGEPAGE);
    return Pages(static_cast<std::byte*>(data), bytes);
  }
  Pages(Pages&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
  Pages& operator=(Pages&&) = delete;
  ~Pages() {
    if (data_) ::munmap(data_, bytes_);
  }
  std::byte* data() const { return data_; }
  uint64_t bytes() const { return bytes_; }

 private:
  Pages(std::byte* data, uint64_t bytes) : data_(data), bytes_(bytes) {}
  std::byte* data_;
  uint64_t bytes_;
};

uint64_t in_units(uint64_t bytes) {
  return std::max(bytes / kMemoryKernelUnit, uint64_t{1}) * kMemoryKernelUnit;
}

// One kernel's repetitions: rates of all threads together.
struct Trial {
  std::string_view kernel;
  uint64_t footprint_bytes = 0;
  std::vector<double> rates;

  double best() const { return *std::ranges::max_element(rates); }
};

class Calibrating {
 public:
  explicit Calibrating(MachineIdentity machine) : crew_(machine.cores, machine.threads) {
    found_.assay_version = kVersionText;
    found_.created = system_clock().utc();
    found_.machine = std::move(machine);
  }

  Result<Calibration> run() {
    const std::vector<std::string> features = cpu_features(system_disk());
    const std::vector<ComputeKernel> compute = compute_kernels(features);
    const std::vector<MemoryKernel> memory = memory_kernels(features);
    ASSAY_TRY(take_memory());
    std::vector<int> counts{1};
    if (crew_.threads() > 1) counts.push_back(crew_.threads());
    for (const int threads : counts) {
      warm_up(compute.front(), threads);
      measure_compute(compute, threads);
      for (const std::optional<int>& level : levels()) measure_level(memory, level, threads);
    }
    return std::move(found_);
  }

 private:
  std::vector<std::optional<int>> levels() const {
    std::vector<std::optional<int>> levels;
    for (const CacheLevel& cache : found_.machine.caches) levels.emplace_back(cache.level);
    levels.emplace_back();
    return levels;
  }

  // Twice the last level of cache: for one thread as for all of them together.
  uint64_t main_bytes(int thread) const {
    const auto& caches = found_.machine.caches;
    uint64_t bytes = 2 * (caches.empty() ? kAssumedCacheBytes : caches.back().bytes);
    if (thread > 0 && !caches.empty())
      bytes /= static_cast<uint64_t>(
          std::clamp(caches.back().shared_by.value_or(1), 1, crew_.threads()));
    return std::clamp(bytes, kLeastMainBytes, kMostMainBytes);
  }

  Status take_memory() {
    const uint64_t spare = SystemMemory(system_disk()).available_bytes() / kPartOfMachine;
    const uint64_t most = std::max(spare / static_cast<uint64_t>(crew_.threads()), kLeastMainBytes);
    for (int thread = 0; thread < crew_.threads(); ++thread) {
      ASSAY_ASSIGN(Pages pages, Pages::take(std::min(main_bytes(thread), most)));
      memory_.push_back(std::move(pages));
    }
    // By those who use it: it lies near them then.
    crew_.run(crew_.threads(), [this](int thread) {
      const Pages& own = memory_[static_cast<size_t>(thread)];
      std::memset(own.data(), 1, own.bytes());
    });
    return {};
  }

  void warm_up(const ComputeKernel& kernel, int threads) {
    const int64_t end_ns = system_clock().now_ns() + kWarmUpNs;
    while (system_clock().now_ns() < end_ns) run_compute(kernel, threads, 1 << 16);
  }

  int64_t run_compute(const ComputeKernel& kernel, int threads, int64_t steps) {
    return crew_.run(threads, [&](int) {
      alignas(64) std::byte values[kComputeKernelBytes] = {};
      kernel.run(steps, values);
    });
  }

  // Rates of so many repetitions. `once` does so many rounds and returns their CPU time.
  static std::vector<double> repeat(int repetitions, double per_round,
                                    const std::function<int64_t(int64_t)>& once) {
    int64_t rounds = 1, took_ns = 0;
    while ((took_ns = once(rounds)) < kRepetitionNs / 2)
      rounds = took_ns < kRepetitionNs / 64
                   ? rounds * 16
                   : rounds * kRepetitionNs / std::max<int64_t>(took_ns, 1);
    std::vector<double> rates;
    for (int n = 0; n < repetitions; ++n)
      rates.push_back(per_round * static_cast<double>(rounds) * 1e9 /
                      static_cast<double>(std::max<int64_t>(once(rounds), 1)));
    return rates;
  }

  static PeakRate peak_of(const Trial& trial) {
    return {trial.best(), median(trial.rates), static_cast<int>(trial.rates.size()),
            std::string(trial.kernel)};
  }

  void measure_compute(const std::vector<ComputeKernel>& kernels, int threads) {
    std::map<std::string_view, std::pair<const ComputeKernel*, Trial>> fastest;  // by type
    auto attempt = [&](const ComputeKernel& kernel, int repetitions) {
      return Trial{kernel.name, 0,
                   repeat(repetitions, kernel.operations * threads,
                          [&](int64_t steps) { return run_compute(kernel, threads, steps); })};
    };
    for (const ComputeKernel& kernel : kernels) {
      Trial trial = attempt(kernel, kTrials);
      auto& [known, best] = fastest[kernel.dtype];
      if (known && best.best() >= trial.best()) continue;
      known = &kernel;
      best = std::move(trial);
    }
    for (auto& [dtype, found] : fastest) {
      auto& [kernel, trial] = found;
      add(trial, attempt(*kernel, kRepetitions));
      found_.compute.push_back({std::string(dtype), threads, peak_of(trial)});
    }
  }

  static void add(Trial& trial, const Trial& more) {
    trial.rates.insert(trial.rates.end(), more.rates.begin(), more.rates.end());
  }

  // What each thread goes through, to have it from this level: most of its part of it, and what
  // barely has no room in the level before.
  std::vector<uint64_t> footprints(std::optional<int> level, int threads) const {
    const uint64_t most = memory_[static_cast<size_t>(threads) - 1].bytes() - kMemoryKernelUnit;
    if (!level) return {in_units(most)};
    uint64_t before = 0;
    for (const CacheLevel& cache : found_.machine.caches) {
      if (cache.level != *level) {
        before = cache.bytes;
        continue;
      }
      const auto sharing = static_cast<uint64_t>(
          std::clamp(std::min(threads, cache.shared_by.value_or(1)), 1, threads));
      const uint64_t part = cache.bytes / sharing / 4 * 3;
      return {in_units(std::min(part, most)),
              in_units(std::min(before == 0 ? part / 2 : before / 2 * 3, most))};
    }
    return {};
  }

  Trial attempt(const MemoryKernel& kernel, uint64_t footprint, int threads, int repetitions) {
    const uint64_t piece = in_units(std::min(footprint, kPieceBytes));
    const double bytes = static_cast<double>(piece) * threads;
    return {kernel.name, footprint, repeat(repetitions, bytes, [&](int64_t passes) {
              return crew_.run(threads, [&](int thread) {
                std::byte* memory = memory_[static_cast<size_t>(thread)].data();
                if (piece == footprint) return kernel.run(memory, piece, passes);
                for (int64_t n = 0; n < passes; ++n)
                  kernel.run(memory + piece_at(thread, piece, footprint), piece, 1);
              });
            })};
  }

  // Where a thread's next piece begins; each in turn, so that it has left the caches.
  uint64_t piece_at(int thread, uint64_t piece, uint64_t footprint) {
    uint64_t& at = next_[static_cast<size_t>(thread)].at;
    constexpr uint64_t kPage = 4096;
    at += (piece + kPage - 1) / kPage * kPage;
    if (at + piece > footprint) at = 0;
    return at;
  }

  void measure_level(const std::vector<MemoryKernel>& kernels, std::optional<int> level,
                     int threads) {
    for (const auto& [access, word] : kAccessWords) {
      const MemoryKernel* fastest = nullptr;
      Trial best;
      for (const uint64_t footprint : footprints(level, threads))
        for (const MemoryKernel& kernel : kernels) {
          if (kernel.access != access) continue;
          Trial trial = attempt(kernel, footprint, threads, kTrials);
          if (fastest && best.best() >= trial.best()) continue;
          fastest = &kernel;
          best = std::move(trial);
        }
      add(best, attempt(*fastest, best.footprint_bytes, threads, kRepetitions));
      found_.memory.push_back({level, access, threads, best.footprint_bytes, peak_of(best)});
    }
  }

  struct alignas(64) Place {
    uint64_t at = 0;
  };

  Crew crew_;
  std::vector<Pages> memory_;  // of each thread
  std::vector<Place> next_ = std::vector<Place>(static_cast<size_t>(crew_.threads()));
  Calibration found_;
};

}  // namespace

Result<Calibration> calibrate(const std::function<Status()>& go_on) {
  ASSAY_ASSIGN(TimingLock lock, TimingLock::take(TimingLock::usual_name(), go_on));
  return Calibrating(identity_of_this_machine()).run();
}

}  // namespace assay

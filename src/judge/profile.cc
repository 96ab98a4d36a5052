#include "judge/profile.h"

#include <algorithm>
#include <vector>

#include "judge/roofline.h"
#include "measure/figures.h"
#include "measure/interval.h"

namespace assay {
namespace {

// The highest rank whose interval has the median in it 19 times of 20, if windows are alike; 1
// where there are too few.
int rank_among(int windows) {
  constexpr double kMissed = 0.05;
  int rank = 1;
  while (false_alarm({windows, rank + 1}) <= kMissed) ++rank;
  return rank;
}

// The shortest call, of windows that show one: what is left where one took hardly longer than an
// empty one is noise.
double least_of(const CallTimes& times) {
  constexpr double kShown = 0.1;
  const double shown_ns = kShown * times.window_ns / times.calls;
  double least = std::ranges::max(times.ns);
  for (const double ns : times.ns)
    if (ns >= shown_ns) least = std::min(least, ns);
  return least;
}

// What a call by IREE's runtime takes besides, at most; and what two launches differ by.
constexpr double kRuntimeNs = 100'000, kLaunchesPart = 0.3;

}  // namespace

Profile::Check check_of(const Profile& profile, const Profile& other) {
  const double more_ns = other.median_ns - profile.median_ns;
  const double launches_ns = kLaunchesPart * std::max(other.median_ns, profile.median_ns);
  return {other.runner, other.median_ns,
          -launches_ns <= more_ns && more_ns <= launches_ns + kRuntimeNs};
}

std::optional<Profile> profile_of(const Measured& measured, std::string_view runner,
                                  const DefinedWork& defined, const Calibration* calibration) {
  const CallTimes times = call_times(measured.windows, 0, measured.metric());
  if (times.ns.empty()) return std::nullopt;
  const auto windows = static_cast<int>(times.ns.size());
  const Interval interval = interval_of(times.ns, rank_among(windows));
  Work work = measured.work;
  if (work.flops.value_or(0) <= 0) work.flops = defined.flops;
  Profile profile;
  profile.metric = measured.metric();
  profile.cache = measured.settings.cache;
  profile.threads = measured.threads;
  profile.runner = runner;
  profile.windows = windows;
  profile.calls = times.calls;
  profile.median_ns = interval.estimate;
  profile.low_ns = interval.low;
  profile.high_ns = interval.high;
  profile.min_ns = std::min(least_of(times), profile.low_ns);
  profile.window_ns = times.window_ns;
  profile.process = measured.processes.front();
  profile.bytes = work.bytes;
  profile.flops = work.flops;
  if (calibration && !measured.is_on_card) {  // it is of this machine's CPU
    profile.bound_ns = bound_ns(work, measured.settings.cache, measured.threads, *calibration);
    profile.type_without_peak = type_without_peak(work, *calibration);
  }
  return profile;
}

}  // namespace assay

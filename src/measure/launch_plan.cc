#include "measure/launch_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/cores.h"
#include "base/units.h"
#include "measure/caches.h"
#include "run/control_page.h"
#include "run/outcome.h"

namespace assay {
namespace {

// A call that takes so long is a window of its own, whatever comes on top by the oracle's clock.
constexpr int64_t kLongCallNs = 10'000'000;
constexpr uint64_t kMostCalls = 256;
constexpr uint32_t kManyCalls = 32;
// So many times as fast, or as slow, is far.
constexpr double kFar = 1.5;
// And so many times is near: a few times what is to be told apart, as warming up is no more exact.
constexpr double kNear = 1.08;
// Where windows are longer than this, a launch has fewer pairs.
constexpr int64_t kLongWindowNs = 50'000'000;
// From here on a launch has the fewest pairs: what windows take, or what it takes to draw the
// inputs of one and to compute what is right for them.
constexpr int64_t kVeryLongWindowNs = 150'000'000, kLongDrawNs = 300'000'000;

// All slots of a window together, so that what was written last is still in some cache.
uint64_t hot_bytes(uint64_t cache_bytes) {
  constexpr uint64_t kLeast = uint64_t{4} << 20, kMost = uint64_t{32} << 20;
  return std::clamp(cache_bytes / 2, kLeast, kMost);
}

}  // namespace

uint64_t slot_bytes(const ProblemDescription& problem) {
  return problem.input_bytes + problem.output_bytes + 1;
}

LaunchPlan LaunchPlan::of(const TimingSettings& timing, Metric metric, bool is_on_card) {
  LaunchPlan plan{.timing = timing};
  if (timing.is_short()) {
    plan.window_ns = plan.near_window_ns = kQuickWindowNs;
    plan.warm_ups = 3;
    plan.solos = 0;  // of two launches nobody asks whether the baseline was slowed
  }
  if (timing.profile) {  // there is nobody whose calls alone could be otherwise
    plan.window_ns = plan.near_window_ns = kProfileWindowNs;
    plan.probes = 0;
    plan.singles = 0;
  }
  if (metric == Metric::wall)
    plan.window_ns = plan.near_window_ns = is_on_card ? kWindowOnCardNs : kWindowOfThreadsNs;
  return plan;
}

void LaunchPlan::copy_results(size_t side) {
  results = ResultsAre::copied;
  if (side != 0) baseline_results = ResultsAre::copied;
}

LaunchPlan LaunchPlan::as_held(bool is_read, bool candidate_writes) const {
  LaunchPlan held = *this;
  if (is_read) return held;
  if (baseline_results == ResultsAre::in_place) held.baseline_results = ResultsAre::copied;
  if (results == ResultsAre::in_place && !candidate_writes) held.results = ResultsAre::copied;
  return held;
}

void LaunchPlan::restore_where_copied() {
  for (ResultsAre* each : {&results, &baseline_results})
    if (*each == ResultsAre::copied) *each = ResultsAre::restored;
}

Step<void> LaunchPlan::plan_slots(const ProblemDescription& problem, uint64_t cache_bytes) {
  const uint64_t told = ControlPage::kMaxAddresses / (problem.outputs.size() + 1);
  const uint64_t bytes = slot_bytes(problem);
  if (!is_stream()) {
    const uint64_t most = timing.profile ? kMostProfileCalls : kMostCalls;
    slots = static_cast<uint32_t>(std::clamp<uint64_t>(hot_bytes(cache_bytes) / bytes, 1,
                                                       std::clamp<uint64_t>(told, 1, most)));
    return {};
  }
  const uint64_t all = 2 * cache_bytes;
  const uint64_t needed = (all + bytes - 1) / bytes;
  if (needed > told)
    return std::unexpected(Stop(not_judged_stage(
        Stage::measure,
        fmt::format("its inputs and results are {}, and {} calls, which are the most, do not fill "
                    "twice the last level of cache, {}: --cache stream is for larger ones",
                    format_bytes(bytes - 1), told, format_bytes(all)))));
  slots = static_cast<uint32_t>(needed);
  return {};
}

void LaunchPlan::plan(int64_t call_ns, int64_t draw_ns) {
  if (is_stream()) {
    calls = slots;
    is_adjusted = true;
    warm_ups = 2;
    solos = std::min(solos, 1);
    probes = std::min(probes, 1);  // each is a large one
    singles = 0;                   // one call alone finds its inputs in caches
  } else if (call_ns < kLongCallNs) {
    calls = calls_in(window_ns, call_ns);
  } else {
    slots = 1;
    is_adjusted = true;
  }
  // Large inputs, mostly.
  if (call_ns > (timing.is_short() ? kLongWindowNs : kVeryLongWindowNs) || draw_ns > kLongDrawNs) {
    pairs = kFewestPairs;
    pairs_of_inputs = std::min(pairs_of_inputs, 2);
    warm_ups = 2;
    solos = std::min(solos, 1);
    probes = std::min(probes, 1);
    return;
  }
  const bool is_long_window = is_stream() || call_ns * calls > kLongWindowNs;
  if (is_stream() || call_ns * calls >= kLongCallNs) pairs_of_inputs = std::min(pairs_of_inputs, 2);
  pairs = pairs_of_inputs == kPairsOfInputs     ? kProfilePairs
          : timing.is_short() || is_long_window ? kFewPairs
                                                : kPairs;
}

void LaunchPlan::adjust(int64_t baseline_ns, int64_t candidate_ns) {
  if (baseline_ns == 0) return;
  if (!is_adjusted) {
    const uint32_t most = calls_in(window_ns, baseline_ns);
    is_average = most >= kManyCalls;
    calls =
        std::clamp(calls_in(window_ns, candidate_ns), calls_in(kShortWindowNs, baseline_ns), most);
    calls_where_near = calls_in(near_window_ns, baseline_ns);
  }
  is_long = baseline_ns * calls > kLongWindowNs;
}

void LaunchPlan::be_adjusted() {
  is_adjusted = true;
  // What is an average already needs fewer, and of what takes long there is no time for more.
  if (is_long || (is_average && pairs_of_inputs == 1)) pairs = std::min(pairs, kFewPairs);
  if (is_close && near_window_ns > window_ns && calls_where_near > calls) {
    // All of them together take as long.
    const auto fewer = static_cast<int>(static_cast<uint32_t>(pairs) * calls / calls_where_near);
    pairs = std::clamp(fewer, std::min(pairs, kFewestPairs), pairs);
    calls = calls_where_near;
  }
  pairs_where_not_clear = pairs;
  if (is_clear && !timing.is_short()) pairs = std::min(pairs, kFewestPairs);
}

void LaunchPlan::have_more_pairs() {
  // Of what takes long, or whose inputs do, there is no time for more.
  if (!is_long && may_rehearse()) pairs = std::max(pairs, std::min(2 * pairs, kPairs));
}

bool LaunchPlan::is_far(double log_ratio) { return std::fabs(log_ratio) > std::log(kFar); }

bool LaunchPlan::is_near(double log_ratio) { return std::fabs(log_ratio) < std::log(kNear); }

uint32_t LaunchPlan::calls_of_warm_up(int n) const {
  if (n == 0) return 1;
  const bool is_guess = n == 1 && !is_adjusted && warm_ups > 2;  // and others follow
  return is_guess ? std::min(calls, kFewCalls) : calls;
}

int LaunchPlan::entries() const {
  const auto few = static_cast<int>(may_rehearse() ? std::min(calls, kFewCalls) : 0);
  const int others = calls > 1 ? 1 + few + singles : may_rehearse() ? 1 : 0;
  const int drawn = (pairs + pairs_of_inputs - 1) / pairs_of_inputs;
  return others + static_cast<int>(calls) * (warm_ups - 1 + drawn + windows_alone() + probes);
}

uint32_t LaunchPlan::calls_in(int64_t all_ns, int64_t call_ns) const {
  const int64_t one_ns = std::max<int64_t>(call_ns, 1);
  return static_cast<uint32_t>(
      std::clamp<int64_t>((all_ns + one_ns - 1) / one_ns, 1, int64_t{slots}));
}

}  // namespace assay

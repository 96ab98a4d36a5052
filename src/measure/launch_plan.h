#pragma once

#include <algorithm>
#include <cstdint>

#include "model/timing.h"
#include "verify/oracle.h"
#include "verify/runner.h"

namespace assay {

// How the windows of one launch go. How many calls, pairs and launches there are follows from what
// the oracle takes and then from the baseline. What a candidate is seen to take can only make its
// windows shorter, of which a window by itself is a larger part, and where it is far from all
// baselines, pairs fewer, whose median is less steady: that says less, whatever it says. Where it
// is near, windows are longer, and fewer.
struct LaunchPlan {
  // Calls are added up in a window until they take about so long: what a window itself costs, tens
  // of microseconds, is a small part then.
  static constexpr int64_t kWindowNs = 3'000'000;
  // Where a candidate is so near to a baseline that what is left of that would hide who is faster.
  static constexpr int64_t kNearWindowNs = 2 * kWindowNs;
  // Of a provisional look, whose pairs have to differ by much more than a window costs: most of the
  // time goes into drawing inputs for all calls, and into knowing what is right for them.
  static constexpr int64_t kQuickWindowNs = 1'000'000;
  // Where nothing is compared, what a window costs is taken off, and is to be no more than a part.
  static constexpr int64_t kProfileWindowNs = 300'000;
  static constexpr uint64_t kMostProfileCalls = 64;
  // By the clock on the wall, of several threads: one of them loses a core for milliseconds.
  static constexpr int64_t kWindowOfThreadsNs = 50'000'000;
  // On a card: what changes of context cost, a part of a millisecond, is to be a small part.
  static constexpr int64_t kWindowOnCardNs = 10'000'000;
  // Without a gate the host's clock runs, and who says done early by as much as was tried gains
  // less than can be told apart only in windows that are so long (docs/gpu.md).
  static constexpr int64_t kUngatedWindowNs = 35'000'000;
  // Where the candidate is slower, its windows take as long, and the baseline's no less than this.
  static constexpr int64_t kShortWindowNs = 350'000;
  static constexpr int kPairs = 24, kFewPairs = 12, kFewestPairs = 6;
  static constexpr int kQuickLaunches = 2;
  // Of a profile of who keeps nothing between calls: windows cost less than their inputs do, and
  // the more there are, the narrower is the interval.
  static constexpr int kProfilePairs = 36, kPairsOfInputs = 6;
  // Calls of a window by which it is guessed how many make one: few, where it is a slow
  // candidate's.
  static constexpr uint32_t kFewCalls = 8;
  // Inputs that a launch with the fewest pairs takes, of large problems: those of its pairs, and of
  // one warm-up, two solos and a probe, which has one of another family as well.
  static constexpr uint64_t kFewestEntries = kFewestPairs + 5;

  // Before anything is known of the problem.
  static LaunchPlan of(const TimingSettings& timing, Metric metric, bool is_on_card = false);
  // How many calls one window has room for: as many as leave inputs and results of all in a cache,
  // or with --cache stream in none. `cache_bytes`: its last level. A finding where no number does.
  Step<void> plan_slots(const ProblemDescription& problem, uint64_t cache_bytes);
  // Of a profile of what a compiler made: it remembers no inputs, so it may have them again.
  void repeat_inputs() { pairs_of_inputs = kPairsOfInputs; }
  // By what a call, and drawing its inputs, takes the oracle.
  void plan(int64_t call_ns, int64_t draw_ns);
  // By what one call of each was seen to take in the first launch; 0: it was not seen.
  void adjust(int64_t baseline_ns, int64_t candidate_ns);
  // ln(ratio): so far apart are they that six launches of the fewest pairs show it.
  static bool is_far(double log_ratio);
  static bool is_near(double log_ratio);
  // On a card, once it is known that calls cannot be queued behind a gate.
  void be_ungated() { window_ns = near_window_ns = std::max(window_ns, kUngatedWindowNs); }
  // For the record: results that are not read where they are left were copied, but for those of a
  // candidate that writes where it is asked to.
  LaunchPlan as_held(bool is_read, bool candidate_writes) const;
  // So it stays, for all launches to come.
  void be_adjusted();
  // But for this, where the first launch's pairs do not show what warming up did: others have all
  // pairs again.
  void be_clear_no_more() { pairs = std::max(pairs, pairs_where_not_clear); }
  // And this, where a look has decided nothing: medians of more pairs are steadier.
  void have_more_pairs();

  // How many calls its warming up has in the n-th window: first one, since what a process does in
  // its first call alone is told apart; then few, until it is known how many are a window.
  uint32_t calls_of_warm_up(int n) const;
  // Whether processes may be warmed up while others are at work, as far as that goes.
  bool may_rehearse() const { return warm_ups > 2; }
  // Of one side alone, with the one that does not count.
  int windows_alone() const { return solos > 0 ? 1 + solos : 0; }
  // Of the problem's own inputs that a launch takes, if calls are not adjusted.
  int entries() const;
  // As many as take so long, at least, and there is room for.
  uint32_t calls_in(int64_t all_ns, int64_t call_ns) const;
  // Slots of a launch's memory: what is there is mapped, whether it is used or not.
  uint32_t slots_needed() const { return is_adjusted ? calls : slots; }
  bool is_stream() const { return timing.cache == CacheMode::stream; }

  TimingSettings timing{};
  int64_t window_ns = kWindowNs;
  int64_t near_window_ns = kNearWindowNs;
  uint32_t slots = 1;  // calls that there is room for in one window
  uint32_t calls = 1;  // in one window
  uint32_t calls_where_near = 1;
  bool is_adjusted = false;  // calls, to what the baseline takes
  bool is_long = false;      // a window, by what the baseline takes
  bool is_average = false;   // of so many calls that it needs to be made less often
  bool is_clear = false;     // the candidate is far from all baselines
  bool is_close = false;     // it is near to one of them
  bool is_gated = false;     // on a card: calls are queued behind a gate, all sides'
  int pairs = kPairs;
  int pairs_where_not_clear = kPairs;  // what pairs would be otherwise
  // So many of them, one after the other, have the same inputs.
  int pairs_of_inputs = 1;
  int warm_ups = 4;  // windows; without the first where they have one call anyhow
  int solos = 4;     // of one alone, behind one that does not count
  int probes = 1;
  int singles = 4;  // rounds of one call, where windows have several
  int nulls = 5;
  // Of candidates and baselines in Python, where they can be in place.
  ResultsAre results = ResultsAre::in_place, baseline_results = ResultsAre::in_place;
  ResultsAre results_of(size_t side) const { return side == 0 ? results : baseline_results; }
  // From now on this one's are copied, in time that counts. A baseline's with all others', as no
  // program would be rid of it; a candidate's alone, as it is its own doing.
  void copy_results(size_t side);
  // And where that was so: what models keep is put back behind each call.
  void restore_where_copied();
  bool has_copied_results() const {
    return results == ResultsAre::copied || baseline_results == ResultsAre::copied;
  }
};

// Inputs and results of one call.
uint64_t slot_bytes(const ProblemDescription& problem);

}  // namespace assay

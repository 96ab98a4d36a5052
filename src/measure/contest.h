#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure/caches.h"
#include "measure/pool.h"
#include "measure/side.h"
#include "model/window_record.h"

namespace assay {

// How the windows of one launch go.
struct LaunchPlan {
  // Calls are added up in a window until they take about so long: what a window itself costs, tens
  // of microseconds, is a small part then.
  static constexpr int64_t kWindowNs = 3'000'000;
  // By the clock on the wall, of several threads: one of them loses a core for milliseconds.
  static constexpr int64_t kWindowOfThreadsNs = 50'000'000;
  static constexpr uint32_t kManyCalls = 32;
  // Where windows are longer than this, a launch has fewer pairs.
  static constexpr int64_t kLongWindowNs = 50'000'000;
  static constexpr int kPairs = 24, kFewPairs = 12, kFewestPairs = 6;
  // Inputs that a launch with the fewest pairs takes, of large problems: those of its pairs, and of
  // one warm-up, two solos and a probe, which has one of another family as well.
  static constexpr uint64_t kFewestEntries = kFewestPairs + 5;

  int64_t window_ns = kWindowNs;
  uint32_t slots = 1;        // calls that there is room for in one window
  uint32_t calls = 1;        // in one window
  bool is_adjusted = false;  // calls, to what the baseline takes
  int pairs = kPairs;
  int warm_ups = 3;
  int solos = 3;  // before, and as many after
  int probes = 2;
  int singles = 4;  // rounds of one call, where windows have several
  int nulls = 5;
  ResultsAre results = ResultsAre::in_place;  // of Python candidates, where they can be
};

// One launch: every contestant in a new process, all of them given the same inputs in turn, in an
// order that is drawn.
class Contest {
 public:
  struct Context {
    const std::vector<Subject>& subjects;  // who takes part, the candidate first
    std::vector<std::string>& unusable;    // of each, why it takes part no more; "": it does
    const Oracle& oracle;
    const SharedTensors& state;
    Pool& pool;
    const std::vector<bool>& differ;  // of each result: other inputs have another one
    const RandomStream& random;       // of this launch
    LaunchPlan plan;
    int launch = 0;
    uint32_t model_seed = 0;
    Metric metric = Metric::cpu;
    Caches* caches = nullptr;  // null: inputs stay where writing them has left them
    // What would end later than so long after all were ready is not begun: but for one window of
    // warming up, and one pair, without which nothing could be said.
    int64_t budget_ns = 0;
  };
  explicit Contest(const Context& context) : context_(context) {}

  // A finding about the candidate ends it. One about a baseline makes that unusable; the candidate
  // never is.
  Step<void> run();
  // It ended since somebody's results of one call lay where another call's of the same window do,
  // or where the model keeps something. That is nobody's fault: all is to be measured again, by
  // copies.
  bool must_copy() const { return must_copy_; }

  const std::vector<WindowRecord>& windows() const { return windows_; }
  int64_t began_ns() const { return began_ns_; }  // when all contestants were ready
  // Of each contestant, from its process's fork until it was ready; 0: it was not.
  const std::vector<int64_t>& setups_ns() const { return setups_ns_; }
  // The largest resident set of each side's processes, 0 where nobody could say.
  const std::vector<uint64_t>& peaks_bytes() const { return peaks_bytes_; }
  // Of each contestant, the process that its own was forked from; 0: it did not take part.
  const std::vector<unsigned>& forked_from() const { return forked_from_; }
  // As it was to be carried out.
  const LaunchPlan& plan() const { return context_.plan; }
  // Of these, fewer where the time was up.
  int pairs_held() const { return pairs_held_; }

 private:
  // In this order: entries of the pool for each of a window's calls.
  using Entries = std::vector<size_t>;

  Step<void> start(const std::vector<size_t>& order);
  Step<void> measure_nulls();
  // The first window has one call: what a process does in its first call alone is told apart.
  Step<void> warm_ups();
  Step<void> solos();
  void adjust();
  // All contestants, in an order that is drawn, with the same entries; then the results are judged.
  Step<void> round(WindowUse use, const Entries& entries);
  Step<void> probe(int number);
  // One window.
  Step<void> window(size_t side, WindowUse use, const Entries& entries, int place);
  Step<void> judge(size_t side, const Entries& entries);
  Step<void> end();
  // What has become of a step of a contestant's: where a baseline broke, it is told and goes on.
  Step<void> unless_baseline(size_t side, Step<void> done);
  // So many of the problem's own inputs that nobody has had in this launch.
  Step<Entries> fresh_entries(int calls);
  Step<Entries> fresh_entries() { return fresh_entries(static_cast<int>(context_.plan.calls)); }
  // Pairs, with what lies at random places between them.
  Step<void> pairs();
  // Or would be, once a further round has been held.
  bool is_time_up() const;
  std::vector<size_t> shuffled();
  bool takes_part(size_t side) const { return context_.unusable[side].empty(); }

  Context context_;
  std::vector<std::optional<Side>> sides_;
  std::vector<unsigned> forked_from_;
  std::vector<WindowRecord> windows_;
  uint64_t drawn_ = 0;     // of the launch's random numbers
  int entries_given_ = 0;  // of the problem's own inputs
  int round_ = 0;
  int pairs_held_ = 0;
  bool is_long_ = false;  // a window, by what the baseline takes
  bool must_copy_ = false;
  int64_t began_ns_ = 0;
  int64_t round_ns_ = 0;  // that the last round took
  std::vector<int64_t> setups_ns_;
  std::vector<uint64_t> peaks_bytes_;
};

}  // namespace assay

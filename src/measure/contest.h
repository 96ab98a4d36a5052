#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure/caches.h"
#include "measure/launch_plan.h"
#include "measure/pool.h"
#include "measure/side.h"
#include "model/window_record.h"

namespace assay {

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
    const std::vector<bool>& overwritten;  // of each result: its memory is, as a caller may do
    const RandomStream& random;            // of this launch
    LaunchPlan plan;
    int launch = 0;
    uint32_t model_seed = 0;
    Metric metric = Metric::cpu;
    Caches* caches = nullptr;  // null: inputs stay where writing them has left them
    bool is_on_card = false;
  };
  explicit Contest(const Context& context) : context_(context) {}

  // Each process, until it stands still. A finding about the candidate ends it. One about a
  // baseline makes that unusable; the candidate never is.
  Step<void> start();
  // Warms up, which may be while others are at work: nothing of it counts. Findings as above.
  Step<void> rehearse(int64_t budget_ns);
  // The windows, by this plan unless it has been rehearsed, with as many slots as the one before.
  // What would end later than so long after they have begun is not begun: but for one window of
  // warming up, and one pair, without which nothing could be said. Findings as above.
  Step<void> run(const LaunchPlan& plan, int64_t budget_ns);
  // It ended since this one's results cannot be left where they are. That is nobody's fault: all is
  // to be measured again, with copies of them.
  std::optional<size_t> must_copy() const { return must_copy_; }

  const std::vector<WindowRecord>& windows() const { return windows_; }
  int64_t began_ns() const { return began_ns_; }  // the windows
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
  // Whether the pairs are as far apart as the plan takes for granted where it is clear.
  bool is_clear() const;

 private:
  // In this order: entries of the pool for each of a window's calls.
  using Entries = std::vector<size_t>;

  void set_gated(bool is_gated);
  Step<void> find_out_gates();
  Step<bool> waits_behind_gate();
  Step<void> fit_behind_gate(uint32_t fitting);
  void take_off_what_windows_cost();
  Step<void> measure_nulls();
  Step<void> without_calls(size_t side, WindowUse use, int place);
  Step<void> measure_empty_programs();
  Step<Side> start_side(size_t side, bool is_empty);
  void begin(int64_t budget_ns);
  Step<void> warm_ups();
  Step<void> solos();
  // The candidate against each baseline that takes part: ln of the ratio, by the pairs.
  std::vector<double> ratios() const;
  // Whether the pairs show the candidate to be slower than all it is held against.
  bool is_slower() const;
  int64_t call_ns(size_t side) const;
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
  bool is_rehearsed_ = false;
  std::optional<size_t> must_copy_;
  int64_t began_ns_ = 0, budget_ns_ = 0;
  int64_t round_ns_ = 0;   // that the last round took
  int64_t window_ns_ = 0;  // on a card: what a window costs by itself, and is taken off
  std::vector<int64_t> setups_ns_;
  std::vector<uint64_t> peaks_bytes_;
};

}  // namespace assay

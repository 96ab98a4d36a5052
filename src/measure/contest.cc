#include "measure/contest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/clock.h"
#include "measure/figures.h"
#include "run/outcome.h"
#include "verify/decide.h"
#include "verify/which_families.h"

namespace assay {
Step<void> Contest::unless_baseline(size_t side, Step<void> done) {
  if (done || side == 0 || must_copy_) return done;
  auto* record = std::get_if<StageRecord>(&done.error().why);
  if (record == nullptr) return done;
  context_.unusable[side] = record->error;
  sides_[side].reset();
  return {};
}

std::vector<size_t> Contest::shuffled() {
  std::vector<size_t> order(context_.subjects.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[context_.random.below(drawn_++, i)]);
  return order;
}

Step<Side> Contest::start_side(size_t side, bool is_empty) {
  LaunchSetting setting;
  setting.seed = context_.model_seed;
  setting.results = context_.plan.results_of(side);
  setting.is_empty = is_empty;
  return Side::start(context_.subjects[side], context_.oracle, context_.state, setting,
                     context_.plan.slots_needed(), context_.overwritten);
}

Step<void> Contest::start() {
  const std::vector<size_t> order = shuffled();
  sides_.resize(order.size());
  forked_from_.resize(order.size());
  setups_ns_.resize(order.size());
  for (size_t side : order) {
    if (!takes_part(side)) continue;
    auto started = start_side(side, false);
    if (!started) {
      ASSAY_TRY(unless_baseline(side, std::unexpected(std::move(started.error()))));
      continue;
    }
    forked_from_[side] = started->forked_from();
    setups_ns_[side] = started->setup_ns();
    sides_[side].emplace(std::move(*started));
  }
  return {};
}

Step<void> Contest::without_calls(size_t side, WindowUse use, int place) {
  const uint32_t calls = use == WindowUse::beside ? context_.plan.calls : 1;
  ASSAY_ASSIGN(const auto window, sides_[side]->without_calls(use, calls));
  if (window)
    windows_.push_back(recorded(*window, {.launch = context_.launch,
                                          .round = round_,
                                          .place = place,
                                          .side = static_cast<int>(side),
                                          .use = use,
                                          .calls = static_cast<int>(calls)}));
  return {};
}

Step<void> Contest::measure_nulls() {
  for (int n = 0; n < context_.plan.nulls; ++n)
    for (WindowUse use : {WindowUse::null, WindowUse::beside}) {
      int place = 0;
      for (size_t side : shuffled())
        if (takes_part(side)) ASSAY_TRY(unless_baseline(side, without_calls(side, use, place++)));
      ++round_;
    }
  return {};
}

// What runners themselves do in windows around those that count, by calls that do nothing, in
// processes that hold no candidate. Where all are of one runner it is the same for all of them.
Step<void> Contest::measure_empty_programs() {
  constexpr int kWindows = 7;
  std::vector<size_t> in_place;
  for (size_t side = 0; side < sides_.size(); ++side)
    if (takes_part(side) && sides_[side]->is_in_place()) in_place.push_back(side);
  auto runner = [&](size_t side) { return &context_.subjects[side].job.runner(); };
  auto is_other = [&](size_t side) { return runner(side) != runner(in_place.front()); };
  if (context_.launch > 0 || std::ranges::none_of(in_place, is_other)) return {};
  for (size_t side : in_place) {
    ASSAY_ASSIGN(Side empty, start_side(side, true));
    for (int n = 0; n < kWindows; ++n)
      for (uint32_t calls : {context_.plan.calls, uint32_t{1}}) {
        ASSAY_TRY(empty.prepare(calls));
        ASSAY_ASSIGN(Window window, empty.call(calls, call_limit_ns(0, false)));
        windows_.push_back(recorded(window, {.launch = context_.launch,
                                             .round = round_,
                                             .side = static_cast<int>(side),
                                             .use = WindowUse::empty,
                                             .calls = static_cast<int>(calls)}));
        windows_.back().around_cpu_ns = empty.around_cpu_ns();
        ++round_;
      }
    ASSAY_ASSIGN(const uint64_t peak_bytes, empty.end());
    (void)peak_bytes;
  }
  return {};
}

void Contest::set_gated(bool is_gated) {
  context_.plan.is_gated = is_gated;
  for (std::optional<Side>& side : sides_)
    if (side) side->set_gated(is_gated);
}

// Whether calls can be queued behind a gate: two windows of all sides. If one of them waits for the
// card in a call, all are timed without. What the first launch finds out holds for all.
Step<void> Contest::find_out_gates() {
  if (context_.launch > 0) {
    set_gated(context_.plan.is_gated);
    return {};
  }
  set_gated(true);
  for (int n = 0; n < 2 && context_.plan.is_gated; ++n) {
    ASSAY_ASSIGN(const bool waits, waits_behind_gate());
    if (waits) set_gated(false);
  }
  return {};
}

// Whether any side does, in one window of all of them.
Step<bool> Contest::waits_behind_gate() {
  ASSAY_ASSIGN(Entries entries, fresh_entries());
  ASSAY_TRY(round(WindowUse::warm_up, entries));
  return std::ranges::any_of(
      sides_, [](const std::optional<Side>& side) { return side && side->has_waited(); });
}

// Behind a closed gate there is room for so many operations (docs/gpu.md), and a window has more
// calls now than the `fitting` that were tried: as many as do not wait.
Step<void> Contest::fit_behind_gate(uint32_t fitting) {
  uint32_t& calls = context_.plan.calls;
  while (calls > fitting) {
    ASSAY_ASSIGN(const bool waits, waits_behind_gate());
    if (!waits) return {};
    calls = std::max(fitting, calls / 2);
  }
  return {};
}

// On a card a window costs changes of context, alike for all: a part of a millisecond. What the
// baselines' windows cost in which nothing is called is taken off everybody's, since who works in
// his own would have that taken off. What is left of those, and of windows in which all is done but
// the calls, is told as ever.
void Contest::take_off_what_windows_cost() {
  std::vector<double> baselines, all;
  for (const WindowRecord& window : windows_) {
    if (window.use != WindowUse::null) continue;
    all.push_back(static_cast<double>(window.wall_ns));
    if (window.side > 0) baselines.push_back(static_cast<double>(window.wall_ns));
  }
  if (all.empty()) return;
  window_ns_ = std::llround(median(baselines.empty() ? all : baselines));
  for (WindowRecord& window : windows_)
    if (window.use == WindowUse::null || window.use == WindowUse::beside)
      window.wall_ns = std::max<int64_t>(window.wall_ns - window_ns_, 0);
}

bool Contest::is_time_up() const { return now_ns() - began_ns_ + round_ns_ > budget_ns_; }

Step<Contest::Entries> Contest::fresh_entries(int calls) {
  const int first = std::exchange(entries_given_, entries_given_ + calls);
  return context_.pool.own(first, calls);
}

Step<void> Contest::window(size_t side, WindowUse use, const Entries& entries, int place) {
  Side& called = *sides_[side];
  const auto calls = static_cast<uint32_t>(entries.size());
  ASSAY_TRY(called.prepare(calls));
  for (size_t slot = 0; slot < entries.size(); ++slot)
    ASSAY_TRY(context_.pool.give(entries[slot], called.memory(), slot));
  if (context_.caches) context_.caches->replace();
  const VerifyJob& job = context_.subjects.front().job;
  const int64_t limit_ns = job.has_no_model ? job.timeout_ns
                                            : call_limit_ns(context_.pool.baseline_ns() * calls,
                                                            use == WindowUse::warm_up);
  ASSAY_ASSIGN(Window window, called.call(calls, limit_ns));
  windows_.push_back(recorded(window, {.launch = context_.launch,
                                       .round = round_,
                                       .place = place,
                                       .side = static_cast<int>(side),
                                       .use = use,
                                       .calls = static_cast<int>(calls),
                                       .draw = context_.pool.name(entries.front())}));
  windows_.back().around_cpu_ns = called.around_cpu_ns();
  windows_.back().wall_ns = std::max<int64_t>(windows_.back().wall_ns - window_ns_, 1);
  // It waited for the card although it had not before: its time is that of the judge's patience.
  if (called.has_waited()) windows_.back().use = WindowUse::warm_up;
  const auto& why = called.why_not_in_place();
  if (!why) return {};
  if (context_.plan.results_of(side) != ResultsAre::in_place)
    return std::unexpected(Stop(failed_stage(Stage::measure, FailureClass::protocol,
                                             "what should be copies of its results: " + *why)));
  must_copy_ = side;
  return std::unexpected(Stop(not_judged_stage(Stage::measure, "of its results: " + *why)));
}

Step<void> Contest::judge(size_t side, const Entries& entries) {
  for (size_t slot = 0; slot < entries.size(); ++slot) {
    ASSAY_ASSIGN(RoundResult result,
                 context_.pool.judge(entries[slot], sides_[side]->memory(), slot));
    Finding finding = decide({result}, {}, kOfManyResults);
    if (!finding.rule) continue;
    StageRecord record = rejected_stage(Stage::measure, to_word(kRuleWords, *finding.rule),
                                        fmt::format("in a window that was timed: {}", finding.why));
    record.detail = fmt::format("in the round {}, call {}", result.seed, slot);
    record.evidence = std::move(finding.evidence);
    return std::unexpected(Stop(std::move(record)));
  }
  return {};
}

Step<void> Contest::round(WindowUse use, const Entries& entries) {
  const int64_t begin_ns = now_ns();
  const bool is_first = entries_given_ == static_cast<int>(entries.size());  // it compiles itself
  int place = 0;
  for (size_t side : shuffled())
    if (takes_part(side)) ASSAY_TRY(unless_baseline(side, window(side, use, entries, place++)));
  ++round_;
  for (size_t side = 0; side < sides_.size(); ++side)
    if (takes_part(side)) ASSAY_TRY(unless_baseline(side, judge(side, entries)));
  round_ns_ = is_first ? 0 : now_ns() - begin_ns;
  return {};
}

std::vector<double> Contest::ratios() const {
  std::vector<double> all;
  for (size_t side = 1; side < sides_.size(); ++side) {
    if (!takes_part(side)) continue;
    const DuelFigures figures = duel_figures(windows_, static_cast<int>(side), context_.metric);
    for (double each : figures.by(context_.metric).launches) all.push_back(each);
  }
  return all;
}

bool Contest::is_slower() const {
  return std::ranges::all_of(ratios(), [](double ratio) { return ratio < -kDeadBand; });
}

// What each takes while the others are not called, one after the other: whether somebody is slower
// among others. Nobody asks that of a candidate that is slower than they are. All alike: who has
// been called more often may have warmed up further.
Step<void> Contest::solos() {
  if (is_slower()) return {};
  std::vector<Entries> all;
  for (int n = 0; n < context_.plan.windows_alone(); ++n) {
    ASSAY_ASSIGN(Entries entries, fresh_entries());
    all.push_back(std::move(entries));
  }
  for (size_t side : shuffled())
    for (const Entries& entries : all) {
      if (!takes_part(side) || is_time_up()) break;
      ASSAY_TRY(unless_baseline(side, window(side, WindowUse::solo, entries, 0)));
      // As after every other window: what judging leaves in caches is part of what comes next.
      if (takes_part(side)) ASSAY_TRY(unless_baseline(side, judge(side, entries)));
      ++round_;
    }
  return {};
}

// The least that one call has taken in warming up so far: a stall makes a window longer, and
// nothing makes it shorter. 0: there was none.
int64_t Contest::call_ns(size_t side) const {
  int64_t least_ns = 0;
  for (const WindowRecord& window : windows_) {
    if (window.side != static_cast<int>(side) || window.use != WindowUse::warm_up) continue;
    const int64_t all_ns = by(context_.metric, window.cpu_ns, window.wall_ns);
    const int64_t one_ns = std::max<int64_t>(all_ns / window.calls, 1);
    least_ns = least_ns == 0 ? one_ns : std::min(least_ns, one_ns);
  }
  return least_ns;
}

// Calls by the first baseline that there is.
void Contest::adjust() {
  LaunchPlan& plan = context_.plan;
  const int64_t candidate_ns = call_ns(0);
  if (sides_.size() == 1) plan.adjust(candidate_ns, candidate_ns);
  bool is_seen = false;
  plan.is_clear = true;
  plan.is_close = false;
  for (size_t side = 1; side < sides_.size(); ++side) {
    if (!takes_part(side)) continue;
    const int64_t baseline_ns = call_ns(side);
    if (!is_seen) plan.adjust(baseline_ns, candidate_ns);
    is_seen = true;
    const bool are_seen = baseline_ns > 0 && candidate_ns > 0;
    const double log_ratio =
        are_seen ? std::log(static_cast<double>(baseline_ns) / static_cast<double>(candidate_ns))
                 : 0;
    plan.is_clear &= LaunchPlan::is_far(log_ratio);
    plan.is_close |= are_seen && LaunchPlan::is_near(log_ratio);
  }
}

bool Contest::is_clear() const { return std::ranges::all_of(ratios(), LaunchPlan::is_far); }

Step<void> Contest::warm_ups() {
  LaunchPlan& plan = context_.plan;
  const int first = plan.calls > 1 ? 0 : 1;
  for (int n = first; n <= 1 || (n < plan.warm_ups && !is_time_up()); ++n) {
    ASSAY_ASSIGN(Entries entries, fresh_entries(static_cast<int>(plan.calls_of_warm_up(n))));
    ASSAY_TRY(round(WindowUse::warm_up, entries));
    // The last one, here or after a rehearsal, has all the calls that are to come: each has memory
    // of its own to touch first.
    if (n == 1 || (n > 1 && (n + 1 < plan.warm_ups || is_rehearsed_))) adjust();
  }
  if (context_.is_on_card) {
    ASSAY_TRY(find_out_gates());
    if (plan.is_gated) {
      const uint32_t fitting = plan.calls;
      adjust();
      ASSAY_TRY(fit_behind_gate(fitting));
    } else {
      plan.be_ungated();
      adjust();
    }
  }
  if (context_.launch == 0) plan.be_adjusted();
  return {};
}

void Contest::begin(int64_t budget_ns) {
  budget_ns_ = budget_ns;
  began_ns_ = now_ns();
}

Step<void> Contest::rehearse(int64_t budget_ns) {
  begin(budget_ns);
  is_rehearsed_ = true;
  return warm_ups();
}

// A window like all others, but that one of its inputs is of another family: whoever is right only
// where he is not timed is found out.
Step<void> Contest::probe(int number) {
  std::vector<Family> families = telling_families(context_.oracle.description());
  std::erase_if(families,
                [](Family family) { return is_of_own(family) || family == Family::integers; });
  ASSAY_ASSIGN(Entries entries, fresh_entries());
  if (families.empty()) return {};
  const Family family = families[context_.random.below(drawn_++, families.size())];
  ASSAY_ASSIGN(auto other, context_.pool.other(family, number));
  if (other) entries[context_.random.below(drawn_++, entries.size())] = *other;
  ASSAY_TRY(window(0, WindowUse::probe, entries, 0));
  ++round_;
  return judge(0, entries);
}

Step<void> Contest::run(const LaunchPlan& plan, int64_t budget_ns) {
  begin(budget_ns);
  if (!is_rehearsed_) {
    context_.plan = plan;
    ASSAY_TRY(warm_ups());
  } else {  // others have had the caches since
    ASSAY_ASSIGN(Entries entries, fresh_entries());
    ASSAY_TRY(round(WindowUse::warm_up, entries));
  }
  ASSAY_TRY(measure_nulls());
  if (context_.is_on_card) take_off_what_windows_cost();
  ASSAY_TRY(measure_empty_programs());
  ASSAY_TRY(pairs());
  if (pairs_held_ == context_.plan.pairs) ASSAY_TRY(solos());
  return end();
}

Step<void> Contest::pairs() {
  const LaunchPlan& plan = context_.plan;
  // Probes, and calls alone, lie anywhere between pairs.
  std::vector<std::pair<int, int>> before(static_cast<size_t>(plan.pairs) + 1);
  for (int n = 0; n < plan.probes; ++n)
    ++before[context_.random.below(drawn_++, before.size())].first;
  for (int n = 0; plan.calls > 1 && n < plan.singles; ++n)
    ++before[context_.random.below(drawn_++, before.size())].second;
  int probes_held = 0;
  Entries entries;
  for (const auto& [probes, singles] : before) {
    if (pairs_held_ > 0 && is_time_up()) return {};
    for (int n = 0; n < probes; ++n) ASSAY_TRY(probe(probes_held++));
    for (int n = 0; n < singles; ++n) {
      ASSAY_ASSIGN(Entries one, fresh_entries(1));
      ASSAY_TRY(round(WindowUse::single, one));
    }
    if (pairs_held_ == plan.pairs) return {};
    if (pairs_held_ % plan.pairs_of_inputs == 0) {
      ASSAY_ASSIGN(entries, fresh_entries());
    }
    ASSAY_TRY(round(WindowUse::pair, entries));
    ++pairs_held_;
  }
  return {};
}

Step<void> Contest::end() {
  for (std::optional<Side>& side : sides_) {
    uint64_t bytes = 0;
    if (side) {
      ASSAY_ASSIGN(bytes, side->end());
    }
    peaks_bytes_.push_back(bytes);
  }
  return {};
}

}  // namespace assay

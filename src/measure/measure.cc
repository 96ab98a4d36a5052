#include "measure/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/cores.h"
#include "base/memory_gauge.h"
#include "base/units.h"
#include "measure/contest.h"
#include "measure/measured_evidence.h"
#include "measure/programs.h"
#include "run/outcome.h"
#include "verify/chunks.h"
#include "verify/launch.h"
#include "verify/memory_need.h"

namespace assay {
namespace {

// Of inputs and what is right for them, kept: so much, and at least those of one window. A machine
// with more memory keeps those of a launch with large ones, which then serve all launches.
constexpr uint64_t kPoolBytes = uint64_t{2} << 30;
constexpr uint64_t kQuickPoolBytes = uint64_t{512} << 20;
constexpr uint64_t kPoolPart = 4;  // of the machine's memory

class Measurement {
 public:
  Measurement(const MeasureJob& job, const VerifyTools& tools, Children& children,
              MemoryGate& memory, NativeLibraries& libraries, QuietGate& quiet)
      : job_(job),
        tools_(tools),
        memory_(memory),
        quiet_(quiet),
        programs_(job, tools, children, libraries) {}

  Result<Measured> run() {
    const int64_t begin_ns = now_ns();
    ASSAY_ASSIGN(
        seed_, job_.candidate.seed.empty() ? Seed::secret() : Seed::from_hex(job_.candidate.seed));
    random_.emplace(seed_, job_.stream);
    measured_.settings = job_.timing;
    measured_.threads = job_.candidate.threads;
    measured_.is_on_card = job_.candidate.on_card;
    plan_ = LaunchPlan::of(job_.timing, measured_.metric(), measured_.is_on_card);
    if (job_.timing.profile && job_.candidate.form->is_artifact()) plan_.repeat_inputs();
    measured_.least_launches = job_.least_launches;
    if (job_.timing.cache == CacheMode::cold && !measured_.is_on_card) caches_.emplace();
    StageRecord record;
    record.stage = Stage::measure;
    if (Step<void> done = go(); !done) {
      ASSAY_ASSIGN(record, finding_of(std::move(done.error())));
      record.stage = Stage::measure;
    }
    if (record.status == StageStatus::ok) {
      // Nobody's memory is read where results are left, nor is a card's.
      const bool is_read = tools_.isolation == Isolation::L3 && !measured_.is_on_card;
      const bool is_native = measured_.is_on_card && !job_.candidate.form->is_model();
      const LaunchPlan as_held = plan_.as_held(is_read, is_native);
      record.evidence = evidence_of(measured_, as_held, forked_from_);
    }
    took(record, now_ns() - begin_ns, waited_ns_);
    measured_.stage = std::move(record);
    return std::move(measured_);
  }

 private:
  // A launch whose processes stand ready, with what they were started with.
  struct Ready {
    VerifyTools tools;
    RandomStream random;
    std::vector<Subject> subjects{};
    std::unique_ptr<Contest> contest{};
  };

  // What all launches have in common. With one thread they are on one core, the judge as well: what
  // wakes the candidate is there, and so are its inputs.
  struct Common {
    const Oracle& oracle;
    const SharedTensors& state;
    Pool& pool;
    uint32_t model_seed;
    std::vector<int> cores{};                    // empty: on any
    std::deque<std::unique_ptr<Ready>> ready{};  // the next launches, in their order
  };

  Step<void> go() {
    if (job_.timing.cache == CacheMode::cold && measured_.is_on_card)
      return std::unexpected(Stop(not_judged_stage(
          Stage::measure,
          "--cache cold is not there for a card: --cache stream has calls whose inputs are in no "
          "cache")));
    ASSAY_TRY(programs_.take());
    setups_ns_.resize(programs_.size());
    measured_.processes.resize(programs_.size());
    programs_.start_images();
    const VerifyJob& job = job_.candidate;
    ASSAY_ASSIGN(Oracle & oracle, programs_.oracle(*random_));
    const ProblemDescription& problem = oracle.description();
    ASSAY_ASSIGN(auto chunks, chunks_where_large(oracle));
    ASSAY_TRY(plan_.plan_slots(problem, cache_bytes()));
    ASSAY_TRY(take_memory(problem, chunks ? &*chunks : nullptr));
    std::optional<ProblemDescription> part;
    if (chunks) part = part_of(problem, *chunks, chunks->rows);
    ASSAY_ASSIGN(RoundMemory room, RoundMemory::create(problem, 0, part ? &*part : nullptr));
    // One state for all launches: what is right is computed once. Each process is new, and knows
    // nothing of others.
    const auto model_seed = static_cast<uint32_t>(random_->named("model").seed_for_others());
    ASSAY_ASSIGN(SharedTensors state,
                 oracle.built({.seed = model_seed, .loaded = job.weights != nullptr}));
    const Policy policy = job.held_to(kOfManyResults);
    Reference reference({job, *random_, oracle, policy, /*tells_likeness=*/false}, kFullSize,
                        std::move(chunks), std::move(room));
    Pool pool(reference, *random_, pool_bytes(problem));
    ASSAY_TRY(plan_launches(pool));
    const std::vector<bool> differ = pool.results_that_differ();
    measured_.results_differ =
        job.has_one_result || std::ranges::find(differ, true) != differ.end();
    some_are_alike_ = std::ranges::find(differ, false) != differ.end();
    overwritten_ = are_overwritten(problem);
    ASSAY_ASSIGN(measured_.work, work_of(reference, *random_, job_.type, job_.is_calibrated));
    measured_.work.bytes = job_.bytes.value_or(measured_.work.bytes);
    first_plan_ = plan_;
    first_unusable_ = programs_.unusable();
    // The last core: most of what the system does is on the first.
    Common common{oracle, state, pool, model_seed};
    if (const auto cores = cores_of_this_thread();
        measured_.metric() == Metric::cpu && !cores.empty())
      common.cores = {cores.back()};
    ASSAY_TRY(get_ready(common));
    if (!programs_.has_rival()) return conclude();
    const int64_t asks_ns = now_ns();
    ASSAY_ASSIGN(const QuietPass quiet, QuietPass::enter(quiet_));
    ASSAY_ASSIGN(const TakenMachine machine, quiet_.take_machine());
    waited_ns_ = now_ns() - asks_ns;
    std::optional<OnCore> bound;
    if (!common.cores.empty()) bound.emplace(common.cores.front());
    for (int launch = 0; launch < most_launches() && programs_.has_rival(); ++launch) {
      measured_.out_of_time |= launch > 0 && left_ns(launch) < 0;
      if (measured_.out_of_time) break;
      ASSAY_ASSIGN(const bool held, hold_launch(launch, common));
      if (!held) {
        ahead_ns_ += now_ns() - began_ns_;
        forget_launches();
        launch = -1;
        continue;
      }
      if (look(launch + 1)) break;
    }
    return conclude();
  }

  // The last level of what it runs on.
  uint64_t cache_bytes() const {
    return tools_.card && measured_.is_on_card ? tools_.card->l2_bytes : last_level_bytes();
  }

  Step<std::optional<ChunkPlan>> chunks_where_large(Oracle& oracle) const {
    const ProblemDescription& problem = oracle.description();
    if (problem.bytes() <= kAtOnceBytes || product_of(job_.candidate.product, problem))
      return std::optional<ChunkPlan>{};
    // What is computed in chunks is never there as a whole, and is computed for each window again.
    const MemoryNeed need =
        memory_need(problem, *job_.candidate.form, nullptr, job_.candidate.own_model);
    if (keeps_a_launch(problem) && need.oracle_bytes <= job_.candidate.memory_bytes &&
        need.all_bytes <= memory_bytes_ / kPoolPart)
      return std::optional<ChunkPlan>{};
    ASSAY_ASSIGN(auto chunks, plan_chunks(oracle, job_.candidate.memory_bytes));
    if (auto* plan = std::get_if<ChunkPlan>(&chunks)) return std::optional(std::move(*plan));
    return std::optional<ChunkPlan>{};
  }

  Step<void> take_memory(const ProblemDescription& problem, const ChunkPlan* chunks) {
    MemoryNeed need = memory_need(problem, *job_.candidate.form, chunks, job_.candidate.own_model);
    // As much again for each baseline, what windows of several calls take, and what is kept.
    const uint64_t side = problem.bytes() + problem.forward_bytes;
    const uint64_t window = (plan_.slots - 1) * slot_bytes(problem);
    need.all_bytes +=
        side * job_.baselines.size() + window * (1 + job_.baselines.size()) + pool_bytes(problem);
    ASSAY_ASSIGN(admitted_, admit(need, job_.candidate.memory_bytes, memory_));
    return {};
  }

  // Whether a part of the memory has room for all inputs of a launch that has the fewest.
  bool keeps_a_launch(const ProblemDescription& problem) const {
    return Pool::bytes_of(problem, LaunchPlan::kFewestEntries) <=
           std::max(kPoolBytes, memory_bytes_ / kPoolPart);
  }

  uint64_t pool_bytes(const ProblemDescription& problem) const {
    const uint64_t least = plan_.is_stream()         ? plan_.slots
                           : keeps_a_launch(problem) ? LaunchPlan::kFewestEntries
                                                     : 0;
    return std::max(job_.timing.is_short() ? kQuickPoolBytes : kPoolBytes,
                    Pool::bytes_of(problem, least));
  }

  // How many calls are one window follows from the oracle's own time at first.
  Step<void> plan_launches(Pool& pool) {
    const int64_t begin_ns = now_ns();
    ASSAY_TRY(pool.own(0, Pool::kFirst));
    plan_.plan(std::max<int64_t>(pool.baseline_ns(), 1), (now_ns() - begin_ns) / Pool::kFirst);
    return {};
  }

  int most_launches() const {
    if (job_.timing.profile) return 1;
    return job_.timing.quick ? LaunchPlan::kQuickLaunches : kLooks[std::size(kLooks) - 1].launches;
  }

  // What can be done while others of assay still run, since only windows need the machine: the
  // first processes are started and warm up, by which it is known how many calls a launch has, and
  // inputs for these are drawn, as far as they are kept. A provisional look is short beside
  // starting its processes, of which there are few: all of them.
  Step<void> get_ready(Common& common) {
    // By the clock on the wall, others would be seen.
    const bool rehearses = plan_.may_rehearse() && measured_.metric() == Metric::cpu;
    const int launches = job_.timing.is_short() ? most_launches() : rehearses ? 1 : 0;
    if (launches == 0) ASSAY_TRY(draw_ahead(common.pool));
    for (int launch = 0; launch < launches && programs_.has_rival();) {
      ASSAY_ASSIGN(const bool is_ready, ready_launch(launch, rehearses, common));
      launch = is_ready ? launch + 1 : 0;
      if (launch == 1 && programs_.has_rival()) ASSAY_TRY(draw_ahead(common.pool));
    }
    return {};
  }

  // Of the time that windows have, that is left for all of that: half, and setting up takes none.
  int64_t left_ahead_ns() const { return job_.timing.budget_ns / 2 - ahead_ns_; }

  Step<void> draw_ahead(Pool& pool) {
    const int64_t begin_ns = now_ns();
    const int64_t end_ns = begin_ns + left_ahead_ns();
    int drawn = 0;
    while (drawn < plan_.entries() && now_ns() < end_ns) {
      const int before = drawn;
      ASSAY_ASSIGN(drawn, pool.draw_ahead(drawn, plan_.entries()));
      if (drawn == before) break;
      if (!plan_.is_adjusted)
        plan_.calls = plan_.calls_in(plan_.window_ns, pool.least_baseline_ns());
    }
    ahead_ns_ += now_ns() - begin_ns;
    return {};
  }

  // Of the budget, which begins with the first launch's windows.
  int64_t left_ns(int launch) const {
    return job_.timing.budget_ns - ahead_ns_ - (launch == 0 ? 0 : now_ns() - began_ns_);
  }

  void forget_launches() {
    measured_.windows.clear();
    measured_.launches = 0;
    measured_.out_of_time = false;
    forked_from_.clear();
    for (std::vector<double>& each : setups_ns_) each.clear();
    for (ProcessCosts& each : measured_.processes) each = {};
  }

  Step<std::unique_ptr<Ready>> start_launch(int launch, const Common& common) {
    auto ready = std::make_unique<Ready>(programs_.tools_of(launch, common.cores),
                                         random_->named(fmt::format("launch {}", launch)));
    ready->subjects = programs_.subjects(ready->tools, *random_);
    ready->contest = std::make_unique<Contest>(
        Contest::Context{ready->subjects, programs_.unusable(), common.oracle, common.state,
                         common.pool, overwritten_, ready->random, plan_, launch, common.model_seed,
                         measured_.metric(), caches_ ? &*caches_ : nullptr, measured_.is_on_card});
    ASSAY_TRY(ready->contest->start());
    return ready;
  }

  Step<std::unique_ptr<Ready>> take_launch(int launch, Common& common) {
    if (common.ready.empty()) return start_launch(launch, common);
    std::unique_ptr<Ready> ready = std::move(common.ready.front());
    common.ready.pop_front();
    return ready;
  }

  // What has become of a launch. False: results could not be read where they were, and all begins
  // anew with copies; also where somebody breaks who may have kept what no input changes, and it
  // was overwritten. Who breaks then may have been called with what it had kept of its last result,
  // which nobody does who is right by itself: it is given back all it keeps, at last.
  Step<bool> came_to(Step<void> done, const Contest* contest,
                     const std::vector<std::string>& usable, Common& common) {
    auto must_copy = contest != nullptr ? contest->must_copy() : std::nullopt;
    std::optional<size_t> broken;  // who
    if (!done && std::holds_alternative<StageRecord>(done.error().why)) broken = 0;
    for (size_t side = 1; done && side < usable.size(); ++side)
      if (programs_.unusable()[side] != usable[side]) broken = side;
    if (!must_copy && broken && some_are_alike_ &&
        plan_.results_of(*broken) == ResultsAre::in_place)
      must_copy = broken;
    if (must_copy || (plan_.has_copied_results() && broken)) {
      common.ready.clear();
      if (must_copy)
        first_plan_.copy_results(*must_copy);
      else
        first_plan_.restore_where_copied();
      plan_ = first_plan_;
      programs_.unusable() = first_unusable_;
      return false;
    }
    if (!done && contest != nullptr) keep_windows(*contest);  // what shows why
    ASSAY_TRY(std::move(done));
    return true;
  }

  void keep_windows(const Contest& contest) {
    const std::vector<WindowRecord>& windows = contest.windows();
    measured_.windows.insert(measured_.windows.end(), windows.begin(), windows.end());
  }

  // Starts one ahead.
  Step<bool> ready_launch(int launch, bool rehearses, Common& common) {
    const std::vector<std::string> usable = programs_.unusable();
    auto ready = start_launch(launch, common);
    Contest* contest = ready ? (*ready)->contest.get() : nullptr;
    Step<void> done;
    if (!ready) {
      done = std::unexpected(std::move(ready.error()));
    } else if (rehearses) {
      done = contest->rehearse(left_ahead_ns());
      ahead_ns_ += now_ns() - contest->began_ns();
    }
    ASSAY_ASSIGN(const bool held, came_to(std::move(done), contest, usable, common));
    if (!held) return false;
    plan_ = contest->plan();
    common.ready.push_back(std::move(*ready));
    return true;
  }

  // False: as above.
  Step<bool> hold_launch(int launch, Common& common) {
    const std::vector<std::string> usable = programs_.unusable();
    auto ready = take_launch(launch, common);
    Contest* of_it = ready ? (*ready)->contest.get() : nullptr;
    Step<void> done =
        of_it ? of_it->run(plan_, left_ns(launch)) : std::unexpected(std::move(ready.error()));
    if (launch == 0) began_ns_ = of_it ? of_it->began_ns() : now_ns();
    ASSAY_ASSIGN(const bool held, came_to(std::move(done), of_it, usable, common));
    if (!held) return false;
    const Contest& contest = *of_it;
    plan_ = contest.plan();
    measured_.out_of_time |= contest.pairs_held() < plan_.pairs;
    if (!contest.is_clear()) plan_.be_clear_no_more();
    // A median of a few pairs is not like the others.
    if (launch > 0 && contest.pairs_held() < LaunchPlan::kFewestPairs) return true;
    keep_windows(contest);
    for (size_t side = 0; side < programs_.size(); ++side) {
      if (!programs_.takes_part(side)) continue;
      setups_ns_[side].push_back(static_cast<double>(contest.setups_ns()[side]));
      std::optional<uint64_t>& peak = measured_.processes[side].peak_bytes;
      if (const uint64_t bytes = contest.peaks_bytes()[side]; bytes > peak.value_or(0))
        peak = bytes;
    }
    forked_from_.push_back(contest.forked_from());
    measured_.launches = launch + 1;
    return true;
  }

  // Whether no further launch is needed.
  bool look(int launches) {
    if (!is_look(launches, job_.least_launches)) return false;
    bool all = true;
    for (size_t n = 0; n < job_.baselines.size(); ++n) {
      if (!programs_.takes_part(n + 1)) continue;
      const Duel duel = duel_of(n, rank_after(launches));
      all &= decided(charged(duel.interval, duel.figures, measured_.metric())).has_value() ||
             is_beyond_resolution(duel.interval, duel.figures.by(measured_.metric()));
    }
    if (!all) plan_.have_more_pairs();
    return all;
  }

  Duel duel_of(size_t baseline, int rank) const {
    Duel duel;
    duel.baseline = job_.baselines[baseline].author;
    duel.unusable = programs_.unusable(baseline + 1);
    if (!duel.unusable.empty()) return duel;
    duel.figures =
        duel_figures(measured_.windows, static_cast<int>(baseline) + 1, measured_.metric());
    const SpeedRatios& ratios = duel.figures.by(measured_.metric());
    if (ratios.launches.empty())
      duel.unusable = "no pair of windows was valid";
    else
      duel.interval = interval_of(ratios.launches, rank);
    return duel;
  }

  Step<void> conclude() {
    measured_.is_gated = plan_.is_gated;
    const int rank = rank_after(measured_.launches);
    std::string why;
    for (size_t n = 0; n < job_.baselines.size(); ++n) {
      Duel duel = duel_of(n, rank);
      if (!duel.unusable.empty())
        why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", duel.baseline, duel.unusable);
      measured_.duels.push_back(std::move(duel));
    }
    const bool is_usable = std::ranges::any_of(
        measured_.duels, [](const Duel& duel) { return duel.unusable.empty(); });
    if (!job_.timing.profile && !is_usable)
      return std::unexpected(
          Stop(not_judged_stage(Stage::measure, "there is nothing to time it against: " + why)));
    for (size_t side = 0; side < programs_.size(); ++side) {
      if (!programs_.takes_part(side)) continue;
      ProcessCosts& costs = measured_.processes[side];
      costs.setup_ns = std::llround(median(setups_ns_[side]));
      costs.first_call_ns = std::llround(first_call_ns(measured_.windows, static_cast<int>(side)));
    }
    return {};
  }

  const MeasureJob& job_;
  const VerifyTools& tools_;
  MemoryGate& memory_;
  QuietGate& quiet_;
  Programs programs_;
  MemoryPass admitted_;
  Seed seed_;
  std::optional<RandomStream> random_;
  LaunchPlan plan_;
  LaunchPlan first_plan_;                    // what all begins anew with
  std::vector<std::string> first_unusable_;  // likewise
  const uint64_t memory_bytes_ = SystemMemory(system_disk()).total_bytes();  // of the machine
  int64_t began_ns_ = 0;          // the first launch's windows
  int64_t ahead_ns_ = 0;          // that getting ready took
  int64_t waited_ns_ = 0;         // for the machine
  std::optional<Caches> caches_;  // to be replaced before each window
  Measured measured_;
  std::vector<bool> overwritten_;                   // of the results: their memory is
  bool some_are_alike_ = false;                     // results of all inputs
  std::vector<std::vector<double>> setups_ns_;      // of each side, by launch
  std::vector<std::vector<unsigned>> forked_from_;  // of each launch
};

}  // namespace

Result<Measured> measure(const MeasureJob& job, const VerifyTools& tools, Children& children,
                         MemoryGate& memory, NativeLibraries& libraries, QuietGate& quiet) {
  return Measurement(job, tools, children, memory, libraries, quiet).run();
}

}  // namespace assay

#include "measure/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/clock.h"
#include "base/cores.h"
#include "base/memory_gauge.h"
#include "base/units.h"
#include "measure/contest.h"
#include "measure/measured_evidence.h"
#include "run/outcome.h"
#include "verify/candidate_file.h"
#include "verify/chunks.h"
#include "verify/launch.h"
#include "verify/memory_need.h"

namespace assay {
namespace {

// A call that takes so long is a window of its own, whatever comes on top by the oracle's clock.
constexpr int64_t kLongCallNs = 10'000'000;
constexpr uint64_t kMostCalls = 256;
// All slots of a window together, so that what was written last is still in some cache.
uint64_t hot_bytes() {
  constexpr uint64_t kLeast = uint64_t{4} << 20, kMost = uint64_t{32} << 20;
  return std::clamp(last_level_bytes() / 2, kLeast, kMost);
}
// From here on a launch has the fewest pairs: what windows take, or what it takes to draw the
// inputs of one and to compute what is right for them.
constexpr int64_t kVeryLongWindowNs = 150'000'000, kLongDrawNs = 300'000'000;
constexpr int kQuickLaunches = 2;
// Of inputs and what is right for them, kept: so much, and at least those of one window. A machine
// with more memory keeps those of a launch with large ones, which then serve all launches.
constexpr uint64_t kPoolBytes = uint64_t{2} << 30;
constexpr uint64_t kPoolPart = 4;  // of the machine's memory
// Zygotes of Python that launches take turns with: a fork shares its parent's address layout.
constexpr int kZygotes = 6;
constexpr unsigned kForksOfAZygote = 64;

int64_t now() { return system_clock().now_ns(); }

class Measurement {
 public:
  Measurement(const MeasureJob& job, const VerifyTools& tools, Children& children,
              MemoryGate& memory, NativeLibraries& libraries, QuietGate& quiet)
      : job_(job),
        tools_(tools),
        children_(children),
        memory_(memory),
        libraries_(libraries),
        quiet_(quiet) {}

  Result<Measured> run() {
    const int64_t begin_ns = now();
    ASSAY_ASSIGN(
        seed_, job_.candidate.seed.empty() ? Seed::secret() : Seed::from_hex(job_.candidate.seed));
    random_.emplace(seed_, job_.stream);
    measured_.settings = job_.timing;
    measured_.threads = job_.candidate.threads;
    measured_.least_launches = job_.least_launches;
    if (job_.timing.cache == CacheMode::cold) caches_.emplace();
    StageRecord record;
    record.stage = Stage::measure;
    if (Step<void> done = go(); !done) {
      ASSAY_ASSIGN(record, finding_of(std::move(done.error())));
      record.stage = Stage::measure;
    }
    if (record.status == StageStatus::ok)
      record.evidence = evidence_of(measured_, plan_, forked_from_);
    record.wall_ns = now() - begin_ns;
    measured_.stage = std::move(record);
    return std::move(measured_);
  }

 private:
  // The candidate, or a baseline.
  struct Program {
    const VerifyJob* job = nullptr;
    UniqueFd file;
    std::unique_ptr<Extensions> extensions;
  };

  Step<void> go() {
    ASSAY_TRY(take_programs());
    const VerifyJob& job = job_.candidate;
    const Subject subject{
        job, tools_, children_, *random_, programs_[0].file.get(), *programs_[0].extensions};
    ASSAY_ASSIGN(Oracle oracle, Launch::start_oracle(subject));
    const ProblemDescription& problem = oracle.description();
    ASSAY_ASSIGN(auto chunks, chunks_where_large(oracle));
    ASSAY_TRY(plan_slots(problem));
    ASSAY_TRY(take_memory(problem, chunks ? &*chunks : nullptr));
    std::optional<ProblemDescription> part;
    if (chunks) part = part_of(problem, *chunks, chunks->rows);
    ASSAY_ASSIGN(RoundMemory room, RoundMemory::create(problem, 0, part ? &*part : nullptr));
    // One state for all launches: what is right is computed once. Each process is new, and knows
    // nothing of others.
    const auto model_seed = static_cast<uint32_t>(random_->named("model").seed_for_others());
    ASSAY_ASSIGN(SharedTensors state, oracle.built(model_seed, false, false));
    Reference reference({job, *random_, oracle, kOfManyResults}, "full", std::move(chunks),
                        std::move(room));
    Pool pool(reference, *random_, pool_bytes(problem));
    ASSAY_TRY(plan_launches(pool));
    differ_ = pool.results_that_differ();
    measured_.results_differ = std::ranges::find(differ_, true) != differ_.end();
    ASSAY_ASSIGN(measured_.work, work_of(reference, *random_, job.precision, job_.is_calibrated));

    first_plan_ = plan_;
    first_unusable_ = unusable_;
    ASSAY_ASSIGN(TimingLock lock, quiet_.take_machine());
    const std::vector<int> cores = cores_of_this_thread();
    // With one thread the judge is on the candidate's core: what wakes the candidate is there, and
    // so are its inputs. The last one: most of what the system does is on the first.
    const bool is_bound = job.threads == 1 && !cores.empty();
    std::optional<OnCore> bound;
    if (is_bound) bound.emplace(cores.back());
    const int most = job_.timing.quick ? kQuickLaunches : kLooks[std::size(kLooks) - 1].launches;
    for (int launch = 0; launch < most && has_baseline(); ++launch) {
      measured_.out_of_time |= launch > 0 && now() - began_ns_ > job_.timing.budget_ns;
      if (measured_.out_of_time) break;
      ASSAY_ASSIGN(const bool held,
                   hold_launch(launch, oracle, state, pool, model_seed,
                               is_bound ? std::vector{cores.back()} : std::vector<int>{}));
      if (!held) {
        forget_launches();
        launch = -1;
        continue;
      }
      if (look(launch + 1)) break;
    }
    return conclude();
  }

  Step<void> take_programs() {
    std::vector<const VerifyJob*> jobs{&job_.candidate};
    for (const Baseline& baseline : job_.baselines) jobs.push_back(&baseline.job);
    for (const VerifyJob* job : jobs) {
      Program program{job, {}, nullptr};
      program.extensions = std::make_unique<Extensions>(tools_, children_, libraries_, job->gpu);
      const bool is_baseline = !programs_.empty();
      unusable_.push_back(is_baseline ? job_.baselines[programs_.size() - 1].unusable : "");
      if (unusable_.back().empty()) {
        auto taken = take_candidate_file(*job, tools_, children_, libraries_);
        const StageRecord* why = taken ? nullptr : std::get_if<StageRecord>(&taken.error().why);
        if (taken)
          program.file = std::move(taken->file);
        else if (is_baseline && why != nullptr)
          unusable_.back() = why->error;
        else
          return std::unexpected(std::move(taken.error()));
      }
      programs_.push_back(std::move(program));
    }
    setups_ns_.resize(programs_.size());
    measured_.processes.resize(programs_.size());
    return {};
  }

  bool has_baseline() const {
    return std::any_of(unusable_.begin() + 1, unusable_.end(), std::mem_fn(&std::string::empty));
  }

  Step<std::optional<ChunkPlan>> chunks_where_large(Oracle& oracle) const {
    const ProblemDescription& problem = oracle.description();
    if (problem.bytes() <= kAtOnceBytes || product_of(job_.candidate.product, problem))
      return std::optional<ChunkPlan>{};
    // What is computed in chunks is never there as a whole, and is computed for each window again.
    const MemoryNeed need = memory_need(problem, job_.candidate.kind, nullptr);
    if (keeps_a_launch(problem) && need.oracle_bytes <= job_.candidate.memory_bytes &&
        need.all_bytes <= memory_bytes_ / kPoolPart)
      return std::optional<ChunkPlan>{};
    ASSAY_ASSIGN(auto chunks, plan_chunks(oracle, job_.candidate.memory_bytes));
    if (auto* plan = std::get_if<ChunkPlan>(&chunks)) return std::optional(std::move(*plan));
    return std::optional<ChunkPlan>{};
  }

  Step<void> take_memory(const ProblemDescription& problem, const ChunkPlan* chunks) {
    MemoryNeed need = memory_need(problem, job_.candidate.kind, chunks);
    // As much again for each baseline, what windows of several calls take, and what is kept of
    // inputs and results.
    const uint64_t side = problem.bytes() + problem.forward_bytes;
    const uint64_t window = (plan_.slots - 1) * slot_bytes(problem);
    need.all_bytes +=
        side * job_.baselines.size() + window * (1 + job_.baselines.size()) + pool_bytes(problem);
    ASSAY_ASSIGN(admitted_, admit(need, job_.candidate.memory_bytes, memory_));
    return {};
  }

  bool is_stream() const { return job_.timing.cache == CacheMode::stream; }

  static uint64_t slot_bytes(const ProblemDescription& problem) {
    return problem.input_bytes + problem.output_bytes + 1;
  }

  // Whether a part of the memory has room for all inputs of a launch that has the fewest.
  bool keeps_a_launch(const ProblemDescription& problem) const {
    return Pool::bytes_of(problem, LaunchPlan::kFewestEntries) <=
           std::max(kPoolBytes, memory_bytes_ / kPoolPart);
  }

  uint64_t pool_bytes(const ProblemDescription& problem) const {
    const uint64_t least = is_stream()               ? plan_.slots
                           : keeps_a_launch(problem) ? LaunchPlan::kFewestEntries
                                                     : 0;
    return std::max(kPoolBytes, Pool::bytes_of(problem, least));
  }

  // How many calls one window has room for: as many as leave inputs and results of all in a cache,
  // or in none.
  Step<void> plan_slots(const ProblemDescription& problem) {
    const uint64_t told = ControlPage::kMaxAddresses / (problem.outputs.size() + 1);
    const uint64_t bytes = slot_bytes(problem);
    if (!is_stream()) {
      plan_.slots = static_cast<uint32_t>(
          std::clamp<uint64_t>(hot_bytes() / bytes, 1, std::clamp<uint64_t>(told, 1, kMostCalls)));
      return {};
    }
    const uint64_t all = 2 * last_level_bytes();
    const uint64_t slots = (all + bytes - 1) / bytes;
    if (slots > told)
      return std::unexpected(Stop(not_judged_stage(
          Stage::measure,
          fmt::format(
              "its inputs and results are {}, and {} calls, which are the most, do not fill "
              "twice the last level of cache, {}: --cache stream is for larger ones",
              format_bytes(bytes - 1), told, format_bytes(all)))));
    plan_.slots = static_cast<uint32_t>(slots);
    return {};
  }

  // How many calls are one window follows from the oracle's own time, and then from the baseline's;
  // never from the candidate's.
  Step<void> plan_launches(Pool& pool) {
    const int64_t begin_ns = now();
    ASSAY_TRY(pool.own(0, Pool::kFirst));
    const int64_t draw_ns = (now() - begin_ns) / Pool::kFirst;
    const int64_t call_ns = std::max<int64_t>(pool.baseline_ns(), 1);
    if (measured_.metric() == Metric::wall) plan_.window_ns = LaunchPlan::kWindowOfThreadsNs;
    if (is_stream()) {
      plan_.calls = plan_.slots;
      plan_.is_adjusted = true;
      plan_.warm_ups = plan_.solos = plan_.probes = 1;  // each is a large one
      plan_.singles = 0;                                // one call alone finds its inputs in caches
    } else if (call_ns < kLongCallNs) {
      plan_.calls = static_cast<uint32_t>(
          std::clamp<int64_t>(plan_.window_ns / call_ns, 1, int64_t{plan_.slots}));
    } else {
      plan_.slots = 1;
      plan_.is_adjusted = true;
    }
    // Large inputs, mostly.
    if (call_ns > (job_.timing.quick ? LaunchPlan::kLongWindowNs : kVeryLongWindowNs) ||
        draw_ns > kLongDrawNs) {
      plan_.pairs = LaunchPlan::kFewestPairs;
      plan_.warm_ups = plan_.solos = plan_.probes = 1;
      return {};
    }
    plan_.pairs =
        job_.timing.quick || is_stream() || call_ns * plan_.calls > LaunchPlan::kLongWindowNs
            ? LaunchPlan::kFewPairs
            : LaunchPlan::kPairs;
    return {};
  }

  // A zygote of its own for each of the launches that take turns, and one core.
  VerifyTools tools_of(int launch, const std::vector<int>& cores) const {
    VerifyTools tools = tools_;
    const int turns = job_.timing.quick ? kQuickLaunches : kZygotes;
    for (Image* image : {&tools.python_runner, &tools.inductor_runner, &tools.iree_runner}) {
      std::erase_if(image->environment, [](const std::string& each) {
        return each.starts_with("GLIBC_TUNABLES=");  // which poison what is small
      });
      image->environment.push_back("LD_PRELOAD=" + tools_.large_memory);
      image->environment.push_back(fmt::format("ASSAY_ZYGOTE={}", launch % turns));
    }
    for (Image* image : {&tools.python_runner, &tools.inductor_runner})
      image->forks_until_renewed = kForksOfAZygote;
    if (tools.limits.jail) tools.limits.jail->cpus = cores;
    return tools;
  }

  void forget_launches() {
    measured_.windows.clear();
    measured_.launches = 0;
    measured_.out_of_time = false;
    forked_from_.clear();
    for (std::vector<double>& each : setups_ns_) each.clear();
    for (ProcessCosts& each : measured_.processes) each = {};
  }

  // False: results could not be read where they were, and all begins anew with copies. Who breaks
  // then may have been called with what it had kept of its last result, which nobody does who is
  // right by itself: it is given back all it keeps, at last.
  Step<bool> hold_launch(int launch, const Oracle& oracle, const SharedTensors& state, Pool& pool,
                         uint32_t model_seed, const std::vector<int>& cores) {
    const VerifyTools tools = tools_of(launch, cores);
    const RandomStream random = random_->named(fmt::format("launch {}", launch));
    std::vector<Subject> subjects;
    for (const Program& program : programs_)
      subjects.push_back(
          {*program.job, tools, children_, *random_, program.file.get(), *program.extensions});
    Contest contest({subjects, unusable_, oracle, state, pool, differ_, random, plan_, launch,
                     model_seed, measured_.metric(), caches_ ? &*caches_ : nullptr,
                     job_.timing.budget_ns - (launch == 0 ? 0 : now() - began_ns_)});
    const std::vector<std::string> usable = unusable_;
    Step<void> done = contest.run();
    const bool is_broken =
        done ? unusable_ != usable : std::holds_alternative<StageRecord>(done.error().why);
    if (contest.must_copy() || (plan_.results == ResultsAre::copied && is_broken)) {
      plan_ = first_plan_;
      plan_.results = contest.must_copy() ? ResultsAre::copied : ResultsAre::restored;
      unusable_ = first_unusable_;
      return false;
    }
    ASSAY_TRY(std::move(done));
    plan_ = contest.plan();
    if (launch == 0) began_ns_ = contest.began_ns();
    measured_.out_of_time |= contest.pairs_held() < plan_.pairs;
    // A median of a few pairs is not like the others.
    if (launch > 0 && contest.pairs_held() < LaunchPlan::kFewestPairs) return true;
    measured_.windows.insert(measured_.windows.end(), contest.windows().begin(),
                             contest.windows().end());
    for (size_t side = 0; side < programs_.size(); ++side) {
      if (!unusable_[side].empty()) continue;
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
      if (!unusable_[n + 1].empty()) continue;
      Duel duel = duel_of(n, rank_after(launches));
      all &= decided(with_window_costs(duel.interval, duel.figures.by(measured_.metric())))
                 .has_value();
    }
    return all;
  }

  Duel duel_of(size_t baseline, int rank) const {
    Duel duel;
    duel.baseline = job_.baselines[baseline].author;
    duel.unusable = unusable_[baseline + 1];
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
    const int rank = rank_after(measured_.launches);
    std::string why;
    for (size_t n = 0; n < job_.baselines.size(); ++n) {
      Duel duel = duel_of(n, rank);
      if (!duel.unusable.empty())
        why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", duel.baseline, duel.unusable);
      measured_.duels.push_back(std::move(duel));
    }
    if (std::ranges::all_of(measured_.duels,
                            [](const Duel& duel) { return !duel.unusable.empty(); }))
      return std::unexpected(
          Stop(not_judged_stage(Stage::measure, "there is nothing to time it against: " + why)));
    for (size_t side = 0; side < programs_.size(); ++side) {
      if (!unusable_[side].empty()) continue;
      ProcessCosts& costs = measured_.processes[side];
      costs.setup_ns = std::llround(median(setups_ns_[side]));
      costs.first_call_ns = std::llround(first_call_ns(measured_.windows, static_cast<int>(side)));
    }
    return {};
  }

  const MeasureJob& job_;
  const VerifyTools& tools_;
  Children& children_;
  MemoryGate& memory_;
  NativeLibraries& libraries_;
  QuietGate& quiet_;
  MemoryPass admitted_;
  Seed seed_;
  std::optional<RandomStream> random_;
  std::vector<Program> programs_;      // the candidate's, then the baselines'
  std::vector<std::string> unusable_;  // of each
  LaunchPlan plan_;
  LaunchPlan first_plan_;                    // what all begins anew with
  std::vector<std::string> first_unusable_;  // likewise
  const uint64_t memory_bytes_ = SystemMemory(system_disk()).total_bytes();  // of the machine
  int64_t began_ns_ = 0;          // the first launch's windows
  std::optional<Caches> caches_;  // to be replaced before each window
  Measured measured_;
  std::vector<bool> differ_;                        // of the results: follow from inputs
  std::vector<std::vector<double>> setups_ns_;      // of each side, by launch
  std::vector<std::vector<unsigned>> forked_from_;  // of each launch
};

}  // namespace

Result<Measured> measure(const MeasureJob& job, const VerifyTools& tools, Children& children,
                         MemoryGate& memory, NativeLibraries& libraries, QuietGate& quiet) {
  return Measurement(job, tools, children, memory, libraries, quiet).run();
}

}  // namespace assay

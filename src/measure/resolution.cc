#include "measure/resolution.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <random>
#include <span>
#include <utility>

#include "base/clock.h"
#include "base/cores.h"
#include "measure/contest.h"
#include "measure/figures.h"
#include "measure/timing_lock.h"
#include "run/candidate_process.h"
#include "sandbox/memory_file.h"

namespace assay {
namespace {

constexpr int64_t kMinuteNs = 60'000'000'000;
// No launch begins later.
constexpr int64_t kBudgetNs = 14'000'000'000;
constexpr int64_t kLimitNs = 10'000'000'000;  // of a window
// 256 KiB, as often as there may be calls in a window.
constexpr int64_t kElements = 65536;
constexpr uint32_t kSlots = 16;
constexpr uint64_t kMemoryBytes = uint64_t{1} << 30;

std::unexpected<Error> broke(const std::string& how) {
  return error(Code::unavailable, "the kernel that timing is tried with " + how,
               "`assay doctor` shows what is missing");
}

// One process with the kernel, and its memory.
class ProbeSide {
 public:
  static Result<ProbeSide> start(const ResolutionJob& job, Children& children,
                                 const UniqueFd& kernel, const std::vector<int>& cores) {
    using Access = SharedTensors::Access;
    const TensorSpec values{Dtype::f32, {kElements}, {}}, sum{Dtype::f32, {1}, {}};
    ASSAY_ASSIGN(auto inputs,
                 SharedTensors::create("assay-inputs", {values}, Access::read, 0, kSlots));
    ASSAY_ASSIGN(auto outputs,
                 SharedTensors::create("assay-outputs", {sum}, Access::write, 0, kSlots));
    ASSAY_ASSIGN(auto none, SharedTensors::create("assay-none", {}, Access::write));
    CandidateJob candidate;
    candidate.image = job.runner;
    candidate.limits = job.limits;
    candidate.limits.conversation = true;
    candidate.limits.timeout_ns = kLimitNs;
    candidate.limits.memory_bytes = kMemoryBytes;
    if (candidate.limits.jail) candidate.limits.jail->cpus = cores;
    candidate.sheet = {{"inputs", inputs.layout("inputs")},
                       {"outputs", outputs.layout("outputs")},
                       {"constants", Json::array()},
                       {"scalars", Json::array()},
                       {"threads", 1}};
    candidate.inputs = &inputs;
    candidate.inout = &none;
    candidate.outputs = &outputs;
    candidate.constants = &none;
    candidate.candidate_fd = kernel.get();
    ASSAY_ASSIGN(auto started, CandidateProcess::start(children, candidate));
    if (auto* record = std::get_if<StageRecord>(&started)) return broke("broke: " + record->error);
    auto* process = std::get_if<std::unique_ptr<CandidateProcess>>(&started);
    if (process == nullptr) return broke("asked for an extension");
    return ProbeSide(std::move(inputs), std::move(*process));
  }

  Result<Window> window(WindowKind kind, uint32_t calls, std::span<const std::byte> values) {
    for (uint32_t slot = 0; slot < calls; ++slot)
      std::ranges::copy(values, inputs_.tensor(0, slot).begin());
    ASSAY_ASSIGN(Window window, process_->window(kLimitNs, kind, calls));
    if (window.kind != Window::Kind::finished)
      return broke("did not end its window: " + window.text);
    return window;
  }

 private:
  ProbeSide(SharedTensors inputs, std::unique_ptr<CandidateProcess> process)
      : inputs_(std::move(inputs)), process_(std::move(process)) {}

  SharedTensors inputs_;
  std::unique_ptr<CandidateProcess> process_;
};

class Trying {
 public:
  Trying(const ResolutionJob& job, Children& children) : job_(job), children_(children) {}

  Result<Resolution> run() {
    ASSAY_ASSIGN(kernel_, sealed_memory_file("assay-probe", job_.kernel));
    const std::vector<int> cores = cores_of_this_thread();
    std::optional<OnCore> bound;
    if (!cores.empty()) {
      cores_ = {cores.back()};
      bound.emplace(cores.back());
    }
    const int64_t begin_ns = now_ns();
    const int most = kLooks[std::size(kLooks) - 1].launches;
    int launches = 0;
    while (launches < most && (launches == 0 || now_ns() - begin_ns < kBudgetNs))
      ASSAY_TRY(hold_launch(launches++));
    return resolution_of(windows_, launches, (now_ns() - begin_ns) / launches);
  }

 private:
  Status hold_launch(int launch) {
    std::vector<ProbeSide> sides;
    for (int side = 0; side < 2; ++side) {
      ASSAY_ASSIGN(ProbeSide started, ProbeSide::start(job_, children_, kernel_, cores_));
      sides.push_back(std::move(started));
    }
    const LaunchPlan plan;
    int round = 0;
    for (auto [use, rounds] : {std::pair{WindowUse::null, plan.nulls},
                               {WindowUse::warm_up, plan.warm_ups},
                               {WindowUse::pair, plan.pairs}}) {
      for (int n = 0; n < rounds; ++n) ASSAY_TRY(hold_round(launch, round++, use, sides));
      if (launch == 0 && use == WindowUse::warm_up) adjust();
    }
    return {};
  }

  // As many calls as fill a window, of all launches.
  void adjust() {
    const WindowRecord& last = windows_.back();
    const int64_t call_ns = last.cpu_ns / last.calls;
    calls_ = LaunchPlan{.slots = kSlots}.calls_in(LaunchPlan::kWindowNs, call_ns);
  }

  // Both sides, with the same fresh values, in an order that is drawn.
  Status hold_round(int launch, int round, WindowUse use, std::vector<ProbeSide>& sides) {
    std::vector<float> values(kElements);
    std::uniform_real_distribution<float> uniform(0, 1);
    for (float& value : values) value = uniform(random_);
    const int first = static_cast<int>(random_() % 2);
    for (int place = 0; place < 2; ++place) {
      const int side = place == 0 ? first : 1 - first;
      const bool is_null = use == WindowUse::null;
      const uint32_t calls = is_null ? 1 : calls_;
      const WindowKind kind = is_null ? WindowKind::null : WindowKind::call;
      ASSAY_ASSIGN(Window window, sides[static_cast<size_t>(side)].window(
                                      kind, calls, std::as_bytes(std::span(values))));
      windows_.push_back(recorded(window, {.launch = launch,
                                           .round = round,
                                           .place = place,
                                           .side = side,
                                           .use = use,
                                           .calls = static_cast<int>(calls)}));
    }
    return {};
  }

  const ResolutionJob& job_;
  Children& children_;
  UniqueFd kernel_;
  std::vector<int> cores_;
  uint32_t calls_ = 3;
  std::minstd_rand random_{std::random_device{}()};  // nobody gains by knowing it
  std::vector<WindowRecord> windows_;
};

}  // namespace

double Resolution::smallest() const { return kDeadBand + 2 * scatter + window_cost; }

Result<Resolution> resolution_of(std::span<const WindowRecord> windows, int launches,
                                 int64_t launch_ns) {
  std::vector<double> null_walls, null_cpus, calls, times;
  for (const WindowRecord& window : windows) {
    if (window.use == WindowUse::null) {
      null_walls.push_back(static_cast<double>(window.wall_ns));
      null_cpus.push_back(static_cast<double>(window.cpu_ns));
    } else if (window.use == WindowUse::pair) {
      times.push_back(static_cast<double>(window.cpu_ns));
      calls.push_back(times.back() / window.calls);
    }
  }
  Resolution found;
  found.null_wall_ns = static_cast<int64_t>(median(null_walls));
  found.null_cpu_ns = static_cast<int64_t>(median(null_cpus));
  found.call_ns = static_cast<int64_t>(median(calls));
  found.window_ns = static_cast<int64_t>(median(times));
  found.launches = launches;
  found.launch_ns = launch_ns;
  const int most = kLooks[std::size(kLooks) - 1].launches;
  found.in_a_minute = static_cast<int>(
      std::clamp<int64_t>(kMinuteNs / std::max<int64_t>(launch_ns, 1), 1, int64_t{most}));
  SpeedRatios ratios = duel_figures(windows, 1, Metric::cpu).cpu;
  if (ratios.launches.empty()) return broke("took no CPU time");
  ratios.launches.resize(
      std::min<size_t>(ratios.launches.size(), static_cast<size_t>(found.in_a_minute)));
  const Interval scatter =
      interval_of(ratios.launches, rank_after(static_cast<int>(ratios.launches.size())));
  const Interval wide = with_window_costs(scatter, ratios);
  found.scatter = (scatter.high - scatter.low) / 2;
  found.window_cost = (wide.high - wide.low) / 2 - found.scatter;
  return found;
}

Result<Resolution> measure_resolution(const ResolutionJob& job, Children& children,
                                      const std::function<Status()>& go_on) {
  ASSAY_ASSIGN(TimingLock lock, TimingLock::take(TimingLock::usual_name(), go_on));
  return Trying(job, children).run();
}

}  // namespace assay

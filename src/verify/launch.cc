#include "verify/launch.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>

#include "base/hash.h"
#include "base/units.h"
#include "run/outcome.h"
#include "sandbox/memory_file.h"
#include "verify/decide.h"
#include "verify/dump.h"
#include "verify/elements.h"
#include "verify/poison.h"
#include "verify/same_bits.h"

namespace assay {
namespace {

constexpr uint64_t kZoneBytes = 4096;
// What a call may take whose kernels are interpreted: longer is of no use to anybody.
constexpr int64_t kInterpreterLimitNs = 120'000'000'000;

// Zones differ from each other by this.
uint64_t zone_number(size_t tensor, int side) {
  return (uint64_t{tensor} * 2 + static_cast<uint64_t>(side)) << 32;
}

std::string digest_of(std::span<const std::byte> memory) {
  return sha256({reinterpret_cast<const char*>(memory.data()), memory.size()});
}

// Of a window that has finished: python/assay_worker/compilers.py.
Json compiling_in(const Window& call) {
  if (call.text.empty()) return {};
  const auto told = parse_json(call.text, "what compiling took");
  if (!told || !told->is_object()) return {};
  Json parts;
  for (const char* part : {"export_ns", "compile_ns"})
    if (const int64_t ns = field_or<int64_t>(*told, part, -1); ns >= 0) parts[part] = ns;
  if (!parts.is_null()) parts["first_call_ns"] = call.wall_ns;
  return parts;
}

}  // namespace

Launch::Launch(const Context& context, Setting setting, RoundMemory memory, SharedTensors state)
    : context_(context),
      setting_(std::move(setting)),
      reference_(std::make_unique<Reference>(
          Reference::Context{context.job, context.random, context.oracle, context.job.held_to({})},
          setting_.size, setting_.chunks, std::move(memory))),
      state_(std::make_unique<SharedTensors>(std::move(state))) {}

Step<Oracle> Launch::start_oracle(const Subject& subject) {
  const VerifyJob& job = subject.job;
  Limits limits;
  limits.conversation = true;
  limits.messages = 10'000'000;
  limits.timeout_ns = job.timeout_ns;
  limits.memory_bytes = job.memory_bytes;
  limits.jail = oracle_jail(subject.tools, job.problem_path, job.weights.get(), job.on_card);
  return Oracle::start(subject.children, subject.tools.oracle, limits,
                       {job.problem_path, job.problem, job.mode, job.precision,
                        job.memory_bytes / 4, job.on_card, job.weights.get()});
}

bool Launch::loads_weights(const VerifyJob& job, const Setting& setting) {
  return job.weights && setting.size == kFullSize && !setting.draws_weights && !setting.by_seed &&
         !setting.integer_draws && !setting.other_constants;
}

bool Launch::makes_parameters(const Json& facts) {
  return facts.value("parameters", "") == "by seed" || facts.contains("beside");
}

Step<Launch> Launch::prepare(const Context& context, Setting setting,
                             const std::function<void(const SharedTensors&)>& state) {
  Oracle& oracle = context.oracle;
  ProblemDescription problem = oracle.description();
  if (setting.writable_inputs) {
    problem.mutated_inputs.clear();
    for (size_t i = 0; i < problem.inputs.size(); ++i)
      if (problem.inputs[i].tensor) problem.mutated_inputs.push_back(i);
  }
  uint64_t zone_bytes = context.job.runner().returns_own_tensors ? 0 : kZoneBytes;
  std::optional<ProblemDescription> part;
  if (setting.chunks) part = part_of(oracle.description(), *setting.chunks, setting.chunks->rows);
  ASSAY_ASSIGN(RoundMemory memory,
               RoundMemory::create(problem, zone_bytes, part ? &*part : &oracle.description()));
  ASSAY_ASSIGN(SharedTensors values, oracle.built({.seed = setting.seed,
                                                   .integers = setting.integer_draws,
                                                   .other_constants = setting.other_constants,
                                                   .loaded = loads_weights(context.job, setting)},
                                                  state));
  return Launch(context, std::move(setting), std::move(memory), std::move(values));
}

Step<Launch> Launch::start(const Context& context, Setting setting,
                           const std::function<void(const SharedTensors&)>& state) {
  ASSAY_ASSIGN(Launch launch, prepare(context, std::move(setting), state));
  ASSAY_TRY(launch.start_runner());
  return launch;
}

Step<void> Launch::start_again(int perturb) {
  setting_.perturb = perturb;
  ASSAY_ASSIGN(printed_before_, end());
  runner_.reset();
  return start_runner();
}

Step<void> Launch::start_runner() {
  CandidateJob runner = runner_job(context_, context_.oracle, memory(), *state_, setting_);
  if (setting_.gpu != OnGpu::none) ASSAY_TRY(prepare_for_gpu(runner));
  if (setting_.operators) {
    ASSAY_TRY(give_file("assay-operators", runner));
    runner.sheet["operators"] = true;
  }
  ASSAY_ASSIGN(runner_, assay::start_runner(context_, runner));
  if (loads_weights(context_.job, setting_) && facts().value("parameters", "") == "by seed")
    return std::unexpected(Stop(
        blamed_on(Fault::candidate,
                  unsupported_stage(
                      Stage::verify,
                      fmt::format("its parameters would be drawn, and not loaded, since {}: with "
                                  "the problem's names and shapes they would be copied",
                                  facts().value("why", "they could not be copied"))))));
  called_ = false;
  return measure_null_window();
}

Step<void> Launch::give_file(const char* name, CandidateJob& runner) {
  ASSAY_ASSIGN(written_, empty_memory_file(name));
  runner.written_fd = written_.get();
  return {};
}

Step<std::optional<std::string>> Launch::read_written(uint64_t most_bytes) const {
  // Its process has ended: what it has written, and sealed perhaps, nobody changes any more.
  struct stat info{};
  if (::fstat(written_.get(), &info) != 0)
    return std::unexpected(Stop(errno_error("look at a file in memory").error()));
  if (static_cast<uint64_t>(info.st_size) > most_bytes) return std::optional<std::string>{};
  ASSAY_ASSIGN(std::string written, read_memory_file(written_));
  return std::optional(std::move(written));
}

Step<void> Launch::measure_null_window() {
  std::array<int64_t, 5> walls_ns{};
  for (int64_t& wall_ns : walls_ns) {
    const int64_t limit_ns = assay::call_limit_ns(0, false);
    ASSAY_ASSIGN(Window window, runner_->window(limit_ns, WindowKind::null));
    ASSAY_TRY(check_window(window, limit_ns));
    wall_ns = window.wall_ns;
  }
  std::ranges::sort(walls_ns);
  null_window_ns_ = walls_ns[walls_ns.size() / 2];
  return {};
}

Step<Launch::Outcome> Launch::round(const Ask& ask, bool keep) {
  last_call_.reset();
  ASSAY_ASSIGN(Reference::Expected expected, reference_->expect(ask));
  Outcome outcome;
  if (expected.is_to_be_judged()) {
    if (!is_started()) ASSAY_TRY(start_runner());
    baseline_ns_ = std::max(baseline_ns_, expected.computed.baseline_ns);
    RandomStream stream = context_.random.named(fmt::format("window {}", ++windows_));
    const Poison poison = poison_outputs(stream);
    std::vector<std::string> before;
    if (setting_.writable_inputs) before = digests_of_unchanged();
    const int64_t limit_ns = call_limit_ns();
    Dump dump(context_.tools.dump);
    dump.take_state(context_.oracle.description(), *state_);
    dump.take_inputs(context_.oracle.description(), memory());
    called_ = true;
    ASSAY_ASSIGN(last_call_, runner_->window(limit_ns));
    outcome.window = last_call_;
    auto check_call = [&]() -> Step<void> {
      // First: what wrote too far may have crashed only later.
      ASSAY_TRY(check_zones(stream));
      if (setting_.writable_inputs) ASSAY_TRY(check_inputs(before));
      return check_window(*last_call_, limit_ns);
    };
    if (Step<void> checked = check_call(); !checked) {
      ASSAY_TRY(dump.write());
      return std::unexpected(std::move(checked.error()));
    }
    // Of the problem that is asked for, and not of a smaller one that it is first tried at.
    if (is_compiled(context_.job.own_model) && setting_.size == kFullSize)
      outcome.compiling = compiling_in(*last_call_);
    dump.take_results(context_.oracle.description(), memory(),
                      !reference_->chunks() && reference_->computes_in_double());
    ASSAY_ASSIGN(outcome.result, reference_->judge(expected, poison, stream));
    if (!outcome.result.complaints.empty()) ASSAY_TRY(dump.write());
    if (keep) outcome.digests = reference_->digests();
  }
  outcome.inputs = std::move(expected.inputs);
  outcome.skipped = std::move(expected.skipped);
  const Computed& computed = expected.computed;
  outcome.draws = computed.draws;
  outcome.narrow = computed.narrow;
  outcome.rounds = computed.rounds;
  outcome.integers_proven = computed.integers;
  outcome.not_integers = computed.not_integers;
  outcome.too_large = computed.too_large;
  return outcome;
}

Step<std::optional<Watched>> Launch::watch() {
  ASSAY_ASSIGN(Window window, runner_->window(call_limit_ns(), WindowKind::watched));
  if (window.kind != Window::Kind::finished) return std::optional<Watched>{};
  return read_watched(window.text);
}

Step<void> Launch::look_for_writes(const Ask& ask) const {
  if (setting_.writable_inputs) return {};
  Setting setting = setting_;
  setting.writable_inputs = true;
  auto second = Launch::start(context_, setting);
  if (!second) return {};
  auto outcome = second->round(ask);
  if (outcome) return {};
  auto* record = std::get_if<StageRecord>(&outcome.error().why);
  if (!record || record->status != StageStatus::rejected) return {};
  return std::unexpected(std::move(outcome.error()));
}

std::string Launch::driver_in_words() const {
  if (!setting_.other_driver) return "";
  return fmt::format(", with IREE's driver {}", iree_driver(context_.job.threads, true));
}

Json Launch::in_words() const {
  Json words{{"size", setting_.size}, {"seed", setting_.seed}};
  words.update(facts());
  words["null_window_ns"] = context_.job.form->is_emulated() ? Json() : Json(null_window_ns_);
  if (context_.job.weights)
    words["weights"] = loads_weights(context_.job, setting_) ? "loaded" : "drawn";
  if (setting_.chunks) words["chunks"] = chunks_of(*setting_.chunks).size();
  return words;
}

int64_t Launch::call_limit_ns() const {
  // No measure of torch's holds.
  if (setting_.gpu == OnGpu::compile || context_.job.form->is_emulated() ||
      context_.job.has_no_model)
    return context_.job.timeout_ns;
  if (setting_.gpu == OnGpu::interpret)
    return std::min(context_.job.timeout_ns, kInterpreterLimitNs);
  return std::min(context_.job.timeout_ns, assay::call_limit_ns(baseline_ns_, !called_));
}

Step<void> Launch::check_window(const Window& window, int64_t limit_ns) const {
  return assay::check_window(window, context_.oracle.description(), limit_ns,
                             limit_ns >= context_.job.timeout_ns || setting_.gpu != OnGpu::none);
}

Poison Launch::poison_outputs(const RandomStream& window) {
  Poison poison(window.named("poison"));
  for (size_t i = 0; i < memory().outputs.count(); ++i)
    poison.fill(memory().outputs.specs()[i].dtype, memory().outputs.tensor(i));
  fill_zones(window);
  return poison;
}

void Launch::fill_zones(const RandomStream& stream) {
  RedZone zone(stream.named("zones"));
  for (const SharedTensors* tensors : {&memory().inputs, &memory().inout, &memory().outputs})
    for (size_t i = 0; i < tensors->count(); ++i)
      for (auto [side, bytes] :
           {std::pair{0, tensors->zone_before(i)}, {1, tensors->zone_behind(i)}})
        zone.fill(zone_number(i, side), bytes);
}

Step<void> Launch::check_zones(const RandomStream& stream) const {
  RedZone zone(stream.named("zones"));
  for (const SharedTensors* tensors : {&memory().outputs, &memory().inout}) {
    const char* what = tensors == &memory().outputs ? "output" : "changed input";
    for (size_t i = 0; i < tensors->count(); ++i) {
      if (auto behind = zone.first_damaged(zone_number(i, 1), tensors->zone_behind(i)))
        return std::unexpected(Stop(rejected(
            Rule::out_of_bounds,
            fmt::format("it wrote behind the end of {} {}: byte {} there is not what it was", what,
                        i, *behind))));
      if (zone.first_damaged(zone_number(i, 0), tensors->zone_before(i)))
        return std::unexpected(Stop(rejected(
            Rule::out_of_bounds, fmt::format("it wrote before the beginning of {} {}", what, i))));
    }
  }
  return {};
}

// Of each input; of those that the problem itself changes nothing.
std::vector<std::string> Launch::digests_of_unchanged() const {
  const ProblemDescription& problem = context_.oracle.description();
  std::vector<std::string> digests(problem.inputs.size());
  for (size_t i = 0; i < problem.inputs.size(); ++i)
    if (problem.inputs[i].tensor &&
        std::ranges::find(problem.mutated_inputs, i) == problem.mutated_inputs.end())
      digests[i] = digest_of(memory().input(i));
  return digests;
}

// Inputs that it may write to here, and must not change.
Step<void> Launch::check_inputs(const std::vector<std::string>& before) const {
  std::vector<std::string> now = digests_of_unchanged();
  for (size_t i = 0; i < before.size(); ++i)
    if (now[i] != before[i])
      return std::unexpected(
          Stop(rejected(Rule::input_changed,
                        fmt::format("it writes to input {}, which the problem does not", i))));
  return {};
}

}  // namespace assay

#include "verify/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>

#include "base/hash.h"
#include "base/units.h"
#include "run/outcome.h"
#include "verify/elements.h"
#include "verify/poison.h"
#include "verify/same_bits.h"

namespace assay {
namespace {

constexpr uint64_t kZoneBytes = 4096;
// What a call may take, beside the limit that the user sets: as often as this of what torch takes.
constexpr int64_t kSlowestFactor = 200;
constexpr int64_t kShortestLimitNs = 10'000'000'000;
// And its first call in a process: some compile themselves then.
constexpr int64_t kShortestFirstLimitNs = 60'000'000'000;
// What a call may take whose kernels are interpreted: longer is of no use to anybody.
constexpr int64_t kInterpreterLimitNs = 120'000'000'000;

StageRecord rejected(Rule rule, std::string why) {
  return rejected_stage(Stage::verify, to_word(kRuleWords, rule), std::move(why));
}

// Zones differ from each other by this.
uint64_t zone_number(size_t tensor, int side) {
  return (uint64_t{tensor} * 2 + static_cast<uint64_t>(side)) << 32;
}

// All numbers of a sheet's scalars are numbers to a native kernel; JSON has none that is not
// finite, so that stays text.
Json plain_scalars(const Json& scalars) {
  Json plain = Json::array();
  for (const Json& each : scalars)
    plain.push_back(each.contains("float") ? each["float"] : each.value("scalar", Json(0.0)));
  return plain;
}

std::string digest_of(std::span<const std::byte> memory) {
  return sha256({reinterpret_cast<const char*>(memory.data()), memory.size()});
}

}  // namespace

Launch::Launch(const Context& context, Setting setting, RoundMemory memory, SharedTensors state)
    : context_(context),
      setting_(std::move(setting)),
      memory_(std::make_unique<RoundMemory>(std::move(memory))),
      state_(std::make_unique<SharedTensors>(std::move(state))),
      product_(product_of(context.job.product, context.oracle.description())) {}

Step<Oracle> Launch::start_oracle(const Subject& subject) {
  const VerifyJob& job = subject.job;
  Limits limits;
  limits.conversation = true;
  limits.messages = 10'000;
  limits.timeout_ns = job.timeout_ns;
  limits.memory_bytes = job.memory_bytes;
  limits.jail = oracle_jail(subject.tools, job.problem_path);
  return Oracle::start(
      subject.children, subject.tools.oracle, limits,
      {job.problem_path, job.problem, job.mode, job.precision, job.memory_bytes / 4});
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
  uint64_t zone_bytes = is_native(context.job.kind) ? kZoneBytes : 0;
  std::optional<ProblemDescription> part;
  if (setting.chunks) part = part_of(oracle.description(), *setting.chunks, setting.chunks->rows);
  ASSAY_ASSIGN(RoundMemory memory,
               RoundMemory::create(problem, zone_bytes, part ? &*part : nullptr));
  ASSAY_ASSIGN(SharedTensors values, SharedTensors::create("assay-constants", oracle.state_specs(),
                                                           SharedTensors::Access::write));
  ASSAY_TRY(oracle.build(setting.seed, setting.integer_draws, setting.other_constants, values));
  if (state) {
    state(values);
    ASSAY_TRY(oracle.load(values));
  }
  ASSAY_TRY(values.seal_against_writing());
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
  runner_.reset();
  return start_runner();
}

Step<void> Launch::start_runner() {
  const VerifyJob& job = context_.job;
  const ProblemDescription& problem = context_.oracle.description();
  CandidateJob runner;
  runner.image = runner_image(context_.tools, job.kind, job.may_compile());
  runner.limits = context_.tools.limits;
  runner.limits.timeout_ns = job.timeout_ns;
  runner.limits.conversation = true;  // each window has a limit of its own
  runner.limits.memory_bytes = job.memory_bytes;
  runner.inputs = &memory_->inputs;
  runner.inout = &memory_->inout;
  runner.outputs = &memory_->outputs;
  runner.constants = state_.get();
  runner.candidate_fd = context_.candidate_fd;
  runner.device = job.device;
  runner.may_not_start = job.kind == CandidateKind::artifact;
  Json outputs = Json::array();
  Json written = memory_->outputs.layout("outputs");
  size_t next = 0;
  for (const Leaf& leaf : problem.outputs)
    if (leaf.tensor)
      outputs.push_back(written[next++]);
    else if (job.kind == CandidateKind::module)
      outputs.push_back(leaf.scalar);  // other candidates return tensors only
  runner.sheet = {
      {"inputs", memory_->input_layout(problem)},
      {"outputs", std::move(outputs)},
      {"constants", context_.oracle.state_layout(*state_)},
      {"threads", job.threads},
      {"scalars", is_native(job.kind) ? plain_scalars(problem.scalars) : problem.scalars}};
  if (job.kind == CandidateKind::module) {
    runner.sheet["input_tree"] = problem.input_tree;
    runner.sheet["output_tree"] = problem.output_tree;
    runner.sheet["init_tree"] = problem.init_tree;
    runner.sheet["init_tensors"] = context_.oracle.init_layout(*state_);
    runner.sheet["model"] = job.own_model == OwnModel::none ? "ModelNew" : "Model";
    if (job.own_model == OwnModel::inductor) runner.sheet["inductor"] = true;
    runner.sheet["path"] = job.candidate_path;
    runner.sheet["seed"] = setting_.seed;
    runner.sheet["mode"] = job.mode;
    runner.sheet["precision"] = to_word(kPrecisionWords, job.precision);
    runner.sheet["strict_state"] = !setting_.by_seed;
    if (setting_.integer_draws) runner.sheet["integers"] = true;
    if (setting_.other_constants) runner.sheet["other_constants"] = true;
    if (setting_.perturb != 0) runner.sheet["perturb"] = setting_.perturb;
    if (job.is_watched()) runner.sheet["watched"] = true;  // in all alike: none is told from others
  }
  if (job.kind == CandidateKind::artifact) {
    runner.sheet["parameter_scope"] = "model";
    runner.sheet["function"] = "main";
    runner.sheet["state"] = job.program.value("state", Json::array());
    runner.sheet["mutated_inputs"] = job.program.value("mutated_inputs", Json::array());
  }
  if (setting_.gpu != OnGpu::none) ASSAY_TRY(prepare_for_gpu(runner));
  ASSAY_ASSIGN(auto started, start_with_extensions(runner));
  if (auto* finding = std::get_if<StageRecord>(&started)) return std::unexpected(Stop(*finding));
  runner_ = std::move(std::get<std::unique_ptr<CandidateProcess>>(started));
  called_ = false;
  return measure_null_window();
}

// As often as it asks for one more extension.
Step<CandidateProcess::Started> Launch::start_with_extensions(CandidateJob& runner) const {
  while (true) {
    runner.extensions = context_.extensions.descriptors();
    runner.sheet["extensions"] = context_.extensions.digests();
    if (context_.job.gpu) runner.sheet["stand_ins"] = context_.extensions.stand_ins();
    ASSAY_ASSIGN(auto started, CandidateProcess::start(context_.children, runner));
    auto* request = std::get_if<ExtensionRequest>(&started);
    if (!request) return started;
    ASSAY_TRY(context_.extensions.build(*request));
  }
}

Step<void> Launch::measure_null_window() {
  std::array<int64_t, 5> walls_ns{};
  for (int64_t& wall_ns : walls_ns) {
    ASSAY_ASSIGN(Window window, runner_->window(kShortestLimitNs, WindowKind::null));
    ASSAY_TRY(check_window(window, kShortestLimitNs));
    wall_ns = window.wall_ns;
  }
  std::ranges::sort(walls_ns);
  null_window_ns_ = walls_ns[walls_ns.size() / 2];
  return {};
}

std::optional<Product> Launch::product_in(const RoundMemory& memory) const {
  if (!product_) return std::nullopt;
  return Product{*product_, memory.input(0).data(), memory.input(1).data()};
}

// Has the oracle compute everything, or one chunk.
Step<Computed> Launch::compute(const RoundMemory& memory, bool integers, const Chunk* chunk) const {
  const ProblemDescription& problem = context_.oracle.description();
  Oracle::Computation what = memory.computation(problem);
  what.integers = integers && !product_;  // which has a proof of its own
  what.in_double = !is_probed(product_);
  if (!chunk) return context_.oracle.compute(what);
  ProblemDescription part = part_of(problem, *setting_.chunks, chunk->rows);
  what.inputs = inputs_of(std::move(what.inputs), problem, *setting_.chunks, *chunk);
  what.part = &part;
  return context_.oracle.compute(what);
}

Step<Launch::Outcome> Launch::round(const Ask& ask, bool keep) {
  last_call_.reset();
  ASSAY_TRY(find_groups(ask.family));
  Outcome outcome;
  ASSAY_ASSIGN(outcome.inputs, draw(ask, *memory_));
  bool integers = ask.family == Family::integers;
  std::vector<Chunk> chunks;
  if (setting_.chunks) chunks = chunks_of(*setting_.chunks);
  if (!chunks.empty() && !chunks_confirmed_) {
    ASSAY_TRY(confirm_chunks(chunks[0]));
    chunks_confirmed_ = true;
  }
  auto answer = compute(*memory_, integers, chunks.empty() ? nullptr : chunks.data());
  if (!answer) {
    // Of its own inputs a problem must have a result; other families may be none of its business.
    auto* record = std::get_if<StageRecord>(&answer.error().why);
    bool raised = record && record->failure == FailureClass::exception;
    if (!raised || ask.family == Family::own) return std::unexpected(std::move(answer.error()));
    outcome.skipped = record->error;
    return outcome;
  }
  Computed& computed = *answer;
  auto product = product_in(*memory_);
  if (integers && product_) {
    computed.not_integers = why_not_exact(*product);
    computed.integers = computed.not_integers.empty();
    computed.too_large = !computed.integers;
  }
  outcome.draws = computed.draws;
  outcome.narrow = computed.narrow;
  outcome.rounds = computed.rounds;
  outcome.integers_proven = computed.integers;
  outcome.not_integers = computed.not_integers;
  outcome.too_large = computed.too_large;
  if (outcome.draws || (integers && !computed.integers)) return outcome;
  if (!is_started()) ASSAY_TRY(start_runner());
  auto times = static_cast<int64_t>(std::max<size_t>(chunks.size(), 1));
  baseline_ns_ = std::max(baseline_ns_, computed.baseline_ns * times);

  RandomStream window_stream = context_.random.named(fmt::format("window {}", ++windows_));
  const Poison poison = poison_outputs(window_stream);
  std::vector<std::string> before;
  if (setting_.writable_inputs) before = digests_of_unchanged();

  const int64_t limit_ns = call_limit_ns();
  called_ = true;
  ASSAY_ASSIGN(last_call_, runner_->window(limit_ns));
  outcome.window = last_call_;
  // First: what wrote too far may have crashed only later.
  ASSAY_TRY(check_zones(window_stream));
  if (setting_.writable_inputs) ASSAY_TRY(check_inputs(before));
  ASSAY_TRY(check_window(*last_call_, limit_ns));
  std::vector<JudgedResult> judged = judged_results(context_.oracle.description(), *memory_);
  std::optional<ProductRound> by_product;
  if (product)
    by_product = {*product, window_stream.named("product"), context_.job.threads,
                  is_probed(product_), integers};
  Round round = unjudged_round(ask, poison, judged);
  if (chunks.empty())
    compare_all(judged, computed, by_product, round);
  else
    ASSAY_TRY(compare_chunks(judged, ask, round, outcome));
  round.integers_proven = outcome.integers_proven;
  outcome.result = judge_round(round, Policy{});
  const bool is_all_at_once = chunks.empty() && !by_product;
  auto lacks_nan = [](const OutputFigures& output) { return output.figures.dropped > 0; };
  if (is_all_at_once && ask.family == Family::nonfinite &&
      std::ranges::any_of(round.outputs, lacks_nan)) {
    ASSAY_ASSIGN(bool are_some, find_unaffected(ask, round));
    if (are_some) {
      compare_all(judged, computed, by_product, round);
      outcome.result = judge_round(round, Policy{});
    }
  }
  if (std::ranges::any_of(outcome.result.complaints, &Complaint::sensitivity_may_excuse)) {
    ASSAY_TRY(chunks.empty() ? find_sensitivity(ask, by_product, round)
                             : find_sensitivity_in_chunks(ask, round));
    outcome.result = judge_round(round, Policy{});
  }
  if (is_all_at_once && !outcome.result.complaints.empty()) {
    ASSAY_ASSIGN(bool jumps, find_jumps(ask, round));
    if (jumps) {
      const std::vector<OutputFigures> first_figures = round.outputs;
      compare_all(judged, computed, by_product, round);
      // The baseline's are those against the exact result as it was.
      for (size_t i = 0; i < first_figures.size(); ++i)
        keep_baseline(first_figures[i].figures, round.outputs[i].figures);
      outcome.result = judge_round(round, Policy{});
    }
  }
  if (keep)
    for (const JudgedResult& result : judged)
      outcome.digests.push_back(
          digest(result.spec.dtype, result.spec.elements(), result.candidate.data()));
  return outcome;
}

Step<std::optional<Watched>> Launch::watch() {
  ASSAY_ASSIGN(Window window, runner_->window(call_limit_ns(), WindowKind::watched));
  if (window.kind != Window::Kind::finished) return std::optional<Watched>{};
  return read_watched(window.text);
}

Json Launch::in_words() const {
  Json words{{"size", setting_.size}, {"seed", setting_.seed}};
  words.update(facts());
  words["null_window_ns"] = null_window_ns_;
  if (setting_.chunks) words["chunks"] = chunks_of(*setting_.chunks).size();
  return words;
}

int64_t Launch::call_limit_ns() const {
  // No measure of torch's holds.
  if (setting_.gpu == OnGpu::compile) return context_.job.timeout_ns;
  if (setting_.gpu == OnGpu::interpret)
    return std::min(context_.job.timeout_ns, kInterpreterLimitNs);
  return std::min(
      context_.job.timeout_ns,
      std::max(called_ ? kShortestLimitNs : kShortestFirstLimitNs, kSlowestFactor * baseline_ns_));
}

Step<void> Launch::check_window(const Window& window, int64_t limit_ns) const {
  std::vector<const Leaf*> tensors;  // of these a runner reports
  for (const Leaf& leaf : context_.oracle.description().outputs)
    if (leaf.tensor) tensors.push_back(&leaf);
  auto stop = [](StageRecord record) { return std::unexpected(Stop(std::move(record))); };
  switch (window.kind) {
    case Window::Kind::finished:
      break;
    case Window::Kind::raised: {
      size_t line = window.text.find('\n');
      StageRecord record = failed_stage(Stage::verify, window.failure, window.text.substr(0, line));
      if (line != std::string::npos) record.detail = window.text.substr(line + 1);
      return stop(std::move(record));
    }
    case Window::Kind::declined:
      return stop(unsupported_stage(
          Stage::verify,
          fmt::format("the kernel declines the call: it returned {}", window.status)));
    case Window::Kind::odd: {
      Rule rule = Rule::shape;
      for (size_t i = 0; i < tensors.size() && window.reported.size() == tensors.size(); ++i)
        if (window.reported[i].rank >= 0 &&
            window.reported[i].dtype != static_cast<uint32_t>(tensors[i]->tensor->dtype))
          rule = Rule::dtype;
      return stop(rejected(
          rule, window.text.empty() ? "its results are not those of the problem" : window.text));
    }
    case Window::Kind::timed_out:
      return stop(failed_stage(
          Stage::verify, FailureClass::timeout,
          window.submitted
              ? "the device had not finished what one call queued after " + exact_duration(limit_ns)
              : "one call was still running after " + exact_duration(limit_ns)));
    case Window::Kind::ended: {
      StageRecord record = stage_from_ending(Stage::verify, window.ending);
      add_costs(record, window.ending);
      return stop(std::move(record));
    }
  }
  size_t count = std::min(window.reported.size(), tensors.size());
  for (size_t i = 0; i < count; ++i) {
    uint32_t aliased = window.reported[i].aliased_input;
    if (aliased == 0 || tensors[i]->aliased_input == aliased - 1) continue;
    return stop(rejected(Rule::aliased,
                         fmt::format("output {} shares memory with input {}", i, aliased - 1)));
  }
  return {};
}

Poison Launch::poison_outputs(const RandomStream& window) {
  Poison poison(window.named("poison"));
  for (size_t i = 0; i < memory_->outputs.count(); ++i)
    poison.fill(memory_->outputs.specs()[i].dtype, memory_->outputs.tensor(i));
  fill_zones(window);
  return poison;
}

void Launch::fill_zones(const RandomStream& stream) {
  RedZone zone(stream.named("zones"));
  for (const SharedTensors* memory : {&memory_->inputs, &memory_->inout, &memory_->outputs})
    for (size_t i = 0; i < memory->count(); ++i)
      for (auto [side, bytes] : {std::pair{0, memory->zone_before(i)}, {1, memory->zone_behind(i)}})
        zone.fill(zone_number(i, side), bytes);
}

Step<void> Launch::check_zones(const RandomStream& stream) const {
  RedZone zone(stream.named("zones"));
  for (const SharedTensors* memory : {&memory_->outputs, &memory_->inout}) {
    const char* what = memory == &memory_->outputs ? "output" : "changed input";
    for (size_t i = 0; i < memory->count(); ++i) {
      if (auto behind = zone.first_damaged(zone_number(i, 1), memory->zone_behind(i)))
        return std::unexpected(Stop(rejected(
            Rule::out_of_bounds,
            fmt::format("it wrote behind the end of {} {}: byte {} there is not what it was", what,
                        i, *behind))));
      if (zone.first_damaged(zone_number(i, 0), memory->zone_before(i)))
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
      digests[i] = digest_of(memory_->input(i));
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

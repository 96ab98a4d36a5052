#include "verify/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "base/units.h"
#include "run/outcome.h"
#include "verify/decide.h"
#include "verify/no_device.h"

namespace assay {
namespace {

// What a call may take, beside the limit that the user sets: as often as this of what torch takes.
constexpr int64_t kSlowestFactor = 200;
constexpr int64_t kShortestLimitNs = 10'000'000'000;
// And its first call in a process: some compile themselves then.
constexpr int64_t kShortestFirstLimitNs = 60'000'000'000;

// All numbers of a sheet's scalars are numbers to a native kernel; JSON has none that is not
// finite, so that stays text.
Json plain_scalars(const Json& scalars) {
  Json plain = Json::array();
  for (const Json& each : scalars)
    plain.push_back(each.contains("float") ? each["float"] : each.value("scalar", Json(0.0)));
  return plain;
}

}  // namespace

int fresh_memory_byte(const RandomStream& random, uint64_t number) {
  constexpr int kLeast = 0x40, kNumber = 0x3f, kNegative = 0x80;  // 2 in f16 and bf16, 3 in f32
  const auto drawn = static_cast<int>(random.named("byte").below(number, 2 * kNumber));
  return kLeast + drawn % kNumber + (drawn < kNumber ? 0 : kNegative);
}

std::string_view iree_driver(int threads, bool other) {
  return (threads == 1) != other ? "local-sync" : "local-task";
}

CandidateJob runner_job(const Subject& subject, const Oracle& oracle, const RoundMemory& memory,
                        const SharedTensors& state, const LaunchSetting& setting) {
  const VerifyJob& job = subject.job;
  const ProblemDescription& problem = oracle.description();
  CandidateJob runner;
  runner.image = runner_image(subject.tools, job.runner());
  runner.limits = job.on_card ? subject.tools.card_limits : subject.tools.limits;
  runner.limits.timeout_ns = job.timeout_ns;
  runner.limits.conversation = true;  // each window has a limit of its own
  runner.limits.memory_bytes = job.memory_bytes;
  runner.inputs = &memory.inputs;
  runner.inout = &memory.inout;
  runner.outputs = &memory.outputs;
  runner.constants = &state;
  runner.candidate_fd = subject.candidate_fd;
  runner.device = job.runner().device;
  runner.may_not_start = job.runner().may_decline;
  runner.in_place = setting.in_place;
  runner.results = setting.results;
  Json outputs = Json::array();
  Json written = memory.outputs.layout("outputs");
  size_t next = 0;
  for (const Leaf& leaf : problem.outputs)
    if (leaf.tensor)
      outputs.push_back(written[next++]);
    else if (job.form->is_model())
      outputs.push_back(leaf.scalar);  // other candidates return tensors only
  runner.sheet = {
      {"inputs", memory.input_layout(problem)},
      {"outputs", std::move(outputs)},
      {"constants", oracle.state_layout(state)},
      {"threads", job.threads},
      {"scalars", job.form->is_kernel() ? plain_scalars(problem.scalars) : problem.scalars}};
  if (setting.is_empty) runner.sheet["empty"] = true;
  if (setting.profiled) runner.sheet["profiled"] = true;
  if (setting.perturb != 0) runner.sheet["perturb"] = setting.perturb;
  if (job.form->is_model()) {
    runner.sheet["input_tree"] = problem.input_tree;
    runner.sheet["output_tree"] = problem.output_tree;
    runner.sheet["init_tree"] = problem.init_tree;
    runner.sheet["init_tensors"] = oracle.init_layout(state);
    runner.sheet["model"] = job.own_model == OwnModel::none ? "ModelNew" : "Model";
    if (is_compiled(job.own_model))
      runner.sheet["compiler"] = to_word(kOwnModelWords, job.own_model);
    runner.left_fd = subject.left_fd;
    if (subject.left_fd >= 0) runner.sheet["leaves"] = true;
    runner.sheet["path"] = job.candidate_path;
    for (const NamedText& file : job.beside)
      runner.sheet["beside"].push_back({{"name", file.name}, {"text", file.text}});
    runner.sheet["seed"] = setting.seed;
    runner.sheet["mode"] = job.mode;
    runner.sheet["precision"] = to_word(kPrecisionWords, job.precision);
    runner.sheet["strict_state"] = !setting.by_seed;
    if (setting.integer_draws) runner.sheet["integers"] = true;
    if (setting.other_constants) runner.sheet["other_constants"] = true;
    if (setting.check != nullptr) {
      runner.inputs = &memory.baseline;
      runner.sheet["trials"] = {{"seed", setting.check->seed},
                                {"tolerance", setting.check->tolerance_at(job.precision)},
                                {"expected", memory.baseline.layout("inputs")[0]}};
    }
    if (job.is_watched()) runner.sheet["watched"] = true;  // in all alike: none is told from others
  }
  if (job.form->is_artifact()) {
    runner.sheet["parameter_scope"] = "model";
    runner.sheet["function"] = "main";
    runner.sheet["driver"] = runner.device.kind == kVulkanDevice
                                 ? kVulkanDevice
                                 : iree_driver(job.threads, setting.other_driver);
    runner.sheet["state"] = job.program.value("state", Json::array());
    if (job.program.contains("dispatch")) runner.sheet["dispatch"] = job.program["dispatch"];
    runner.sheet["mutated_inputs"] = job.program.value("mutated_inputs", Json::array());
  }
  return runner;
}

Step<std::unique_ptr<CandidateProcess>> start_runner(const Subject& subject, CandidateJob& job) {
  while (true) {
    job.extensions = subject.extensions.descriptors();
    job.sheet["extensions"] = subject.extensions.digests();
    if (subject.job.gpu) job.sheet["stand_ins"] = subject.extensions.stand_ins();
    ASSAY_ASSIGN(auto started, CandidateProcess::start(subject.children, job));
    if (auto* finding = std::get_if<StageRecord>(&started)) {
      if (subject.job.form->is_emulated()) leave_to_emulator(*finding, subject.job);
      return std::unexpected(Stop(*finding));
    }
    if (auto* runner = std::get_if<std::unique_ptr<CandidateProcess>>(&started))
      return std::move(*runner);
    ASSAY_TRY(subject.extensions.build(std::get<ExtensionRequest>(started)));
  }
}

int64_t call_limit_ns(int64_t baseline_ns, bool first) {
  return std::max(first ? kShortestFirstLimitNs : kShortestLimitNs, kSlowestFactor * baseline_ns);
}

namespace {

// Of one that no option sets: what it comes from, and what would help.
std::string limit_in_words(int64_t limit_ns) {
  constexpr std::string_view kHelp =
      "; no option raises that, and a smaller problem may stay within it";
  if (limit_ns > kShortestLimitNs && limit_ns != kShortestFirstLimitNs)
    return fmt::format(", {} times what torch takes ({}){}", kSlowestFactor,
                       format_duration(limit_ns / kSlowestFactor), kHelp);
  return fmt::format(
      ", which is the least that {} may take, and more than {} times what torch takes; no option "
      "raises that",
      limit_ns == kShortestFirstLimitNs ? "a first call" : "a call", kSlowestFactor);
}

}  // namespace

void leave_to_emulator(StageRecord& record, const Emulator& emulator) {
  if (record.blamed && *record.blamed != Fault::candidate) return;
  const bool may_be_its_own = record.failure == FailureClass::crash ||
                              record.failure == FailureClass::load ||
                              record.failure == FailureClass::exception;
  std::string_view what;
  if (record.status == StageStatus::unsupported)
    what = "cannot call it";
  else if (record.failure == FailureClass::timeout)
    what = "took too long";
  else if (may_be_its_own && std::ranges::any_of(emulator.broken, [&](std::string_view said) {
             return record.error.contains(said) || record.detail.contains(said);
           }))
    what = "broke";
  else
    return;
  std::string detail = std::move(record.detail);
  record =
      not_judged_stage(Stage::verify, fmt::format("{} {}: {}", emulator.title, what, record.error));
  record.detail = std::move(detail);
}

void leave_to_emulator(StageRecord& record, const VerifyJob& job) {
  const Emulator* emulator = emulator_of(job.runner());
  assert(emulator && "of a form that is emulated");
  leave_to_emulator(record, *emulator);
}

Step<void> check_window(const Window& window, const ProblemDescription& problem, int64_t limit_ns,
                        bool is_option) {
  std::vector<const Leaf*> tensors;  // of these a runner reports
  for (const Leaf& leaf : problem.outputs)
    if (leaf.tensor) tensors.push_back(&leaf);
  auto stop = [](StageRecord record) { return std::unexpected(Stop(std::move(record))); };
  switch (window.kind) {
    case Window::Kind::finished:
      break;
    case Window::Kind::raised: {
      size_t line = window.text.find('\n');
      StageRecord record = failed_stage(Stage::verify, window.failure, window.text.substr(0, line));
      if (line != std::string::npos) record.detail = window.text.substr(line + 1);
      if (window.not_here) record.evidence[kNotHere] = true;
      return stop(std::move(record));
    }
    case Window::Kind::declined:
      return stop(blamed_on(
          Fault::candidate,
          unsupported_stage(
              Stage::verify,
              fmt::format("the kernel declines the call: it returned {}", window.status))));
    case Window::Kind::odd: {
      Rule rule = Rule::shape;
      for (size_t i = 0; i < tensors.size() && window.reported.size() == tensors.size(); ++i)
        if (window.reported[i].rank >= 0 &&
            window.reported[i].dtype != static_cast<uint32_t>(tensors[i]->tensor->dtype))
          rule = Rule::dtype;
      return stop(rejected(
          rule, window.text.empty() ? "its results are not those of the problem" : window.text));
    }
    case Window::Kind::timed_out: {
      std::string error =
          fmt::format("{} after {}",
                      window.submitted ? "the device had not finished what one call queued"
                                       : "one call was still running",
                      is_option ? exact_duration(limit_ns) : format_duration(limit_ns));
      if (!is_option) error += limit_in_words(limit_ns);
      StageRecord record = failed_stage(Stage::verify, FailureClass::timeout, error);
      record.met_own_limit = !is_option;
      return stop(std::move(record));
    }
    case Window::Kind::ended: {
      StageRecord record = stage_from_ending(Stage::verify, window.ending);
      add_costs(record, window.ending);
      return stop(std::move(record));
    }
  }
  if (window.wrote_inputs)
    return stop(rejected(Rule::input_changed,
                         "it writes to the memory of inputs, which the problem does not"));
  size_t count = std::min(window.reported.size(), tensors.size());
  for (size_t i = 0; i < count; ++i) {
    uint32_t aliased = window.reported[i].aliased_input;
    if (aliased == 0 || tensors[i]->aliased_input == aliased - 1) continue;
    return stop(rejected(Rule::aliased,
                         fmt::format("output {} shares memory with input {}", i, aliased - 1)));
  }
  return {};
}

}  // namespace assay

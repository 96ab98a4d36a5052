// For the tests of reports: a run with something of each.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "base/rows.h"
#include "report/format.h"

namespace assay {

struct ReportFile {
  std::string name;
  std::string text;
};

class MemorySink final : public ReportSink {
 public:
  std::vector<ReportFile> files;

 private:
  void open(const std::string& name) override { files.push_back({name, ""}); }
  void take(std::string_view piece) override { files.back().text += piece; }
};

// Fails the test where something cannot be rendered: its data are not where the build has them.
inline void finish_or_throw(ReportSink& sink) {
  if (auto finished = sink.finish(); !finished)
    throw std::runtime_error("nothing is rendered: " + finished.error().describe());
}

inline std::vector<ReportFile> rendered(const Format& format, const ReportInput& input) {
  MemorySink sink;
  render_report(format, input, sink);
  finish_or_throw(sink);
  return std::move(sink.files);
}

inline std::string rendered(const Format& format, const Comparison& comparison) {
  MemorySink sink;
  render_comparison(format, comparison, sink);
  finish_or_throw(sink);
  return sink.files.front().text;
}

inline const Format& format_named(std::string_view name) { return *find_row(formats(), name); }

inline Attempt example_attempt(const std::string& level, const std::string& name,
                               const std::string& target) {
  Attempt attempt;
  attempt.workload = name;
  attempt.path = "/suites/tour/" + level + "/" + name + ".py";
  attempt.suite = "tour";
  attempt.level = level;
  attempt.author = "iree";
  attempt.target = target;
  attempt.reproduce = "assay run " + attempt.path + " --on " + target;
  attempt.fingerprint = "0123";
  attempt.origin = {"iree", target, "", std::string(64, 'd'), ""};
  attempt.finished = "2026-01-02T03:04:05Z";
  StageRecord exported;
  exported.began_us = 1'767'323'045'000'000;
  exported.wall_ns = 210'000'000;
  exported.cpu_ns = 190'000'000;
  exported.peak_bytes = 480 << 20;
  exported.reuse = "computed: never made before on this machine";
  exported.evidence = Json{{"inputs", {{{"shape", {4, 8}}, {"dtype", "f32"}}}}};
  StageRecord compiled;
  compiled.stage = Stage::compile;
  compiled.wall_ns = 1'230'000'000;
  compiled.peak_bytes = 230 << 20;
  compiled.evidence = Json{{"flags", {"--iree-opt-level=O3"}}, {"dispatches", 3}};
  compiled.reused = true;
  compiled.reuse = "reused from the cache: made before from the same ingredients";
  attempt.stages = {exported, compiled};
  attempt.artifacts = {{"artifact.vmfb", std::string(64, 'a'), 12345},
                       {"kernel.mlir", std::string(64, 'b'), 999}};
  attempt.verdict = verdict_of(attempt.stages);
  attempt.id = attempt_id(attempt, attempt.author != "iree");
  return attempt;
}

inline Attempt example_verified(const std::string& name, const std::string& target) {
  Attempt attempt = example_attempt("level1", name, target);
  attempt.isolation = "L3";
  attempt.seed = std::string(64, 'c');
  StageRecord verified;
  verified.stage = Stage::verify;
  verified.wall_ns = 450'000'000;
  attempt.stages.push_back(verified);
  return attempt;
}

// It was timed, against one baseline.
inline Attempt example_timed(Attempt attempt, const Speedup& speedup) {
  for (Stage stage : {Stage::measure, Stage::judge}) {
    attempt.stages.emplace_back();
    attempt.stages.back().stage = stage;
  }
  attempt.timing.emplace();
  attempt.timing->cpu = {2e6, 1.9e6, 2.5e6};
  attempt.timing->wall = {2.1e6, 2e6, 3e6};
  attempt.timing->process = {30'000'000, 4'000'000, uint64_t{64} << 20};
  attempt.timing->bytes = 8'000'000;
  attempt.timing->flops = 100'000'000;
  attempt.timing->bound_ns = 1e6;
  attempt.timing->labels = {"library"};
  attempt.timing->speedups = {speedup};
  attempt.timing->speedups[0].sol_score = 0.625;
  attempt.timing->speedups[0].process = {50'000'000, 9'000'000, uint64_t{96} << 20};
  if (speedup.outcome == Outcome::faster) attempt.timing->speedups[0].chance = 0.00025;
  attempt.timing->speedups[0].cpu = {3e6, 2.9e6, 3.5e6};
  attempt.timing->speedups[0].wall = {3.1e6, 3e6, 4e6};
  return attempt;
}

// It was profiled, at a product that assay makes.
inline Attempt example_profiled(Attempt attempt) {
  attempt.stages.emplace_back();
  attempt.stages.back().stage = Stage::profile;
  attempt.operation = OperationFacts{
      .kind = "matmul",
      .name = "matmul_256x512x128_f16t_f16t_f16t",
      .arguments = {{"m", "256"}, {"n", "512"}, {"k", "128"}, {"dtype", "f16"}, {"layout", "nn"}},
      .tensors = {"f16t", "f16t", "f16t"},
      .bytes = 458'752,
      .flops = 33'554'432};
  attempt.profile = Profile{.runner = "iree",
                            .windows = 12,
                            .calls = 64,
                            .median_ns = 62'000,
                            .low_ns = 61'000,
                            .high_ns = 63'500,
                            .min_ns = 60'000,
                            .window_ns = 20'000,
                            .process = {30'000'000, 4'000'000, uint64_t{64} << 20},
                            .bytes = 458'752,
                            .flops = 33'554'432,
                            .bound_ns = 31'000};
  attempt.verdict = verdict_of(attempt.stages);
  return attempt;
}

// With ln ratios against eager, by launch, as the evidence of its measurement.
inline Attempt example_launches(const std::string& name, const std::vector<double>& launches) {
  Attempt attempt = example_timed(example_verified(name, "local"),
                                  {"eager", 2, 1.9, 2.1, Outcome::faster, "", {}, {}});
  const Json ratios{{"launches", launches}, {"null_candidate", 0.01}, {"null_baseline", 0.01}};
  attempt.stages[3].evidence = {
      {"against", {{{"baseline", "eager"}, {"cpu", ratios}, {"wall", ratios}}}}};
  attempt.verdict = verdict_of(attempt.stages);
  return attempt;
}

inline Json example_round(const char* family, double rms, double max) {
  Json output{
      {"elements", 32},
      {"compared", 31},
      {"left_out", 1},
      {"rms_ratio", rms},
      {"max_ratio", max},
      {"beyond_kernelbench", 0},
      {"beyond_torch", 2},
      {"worst", {{"index", {3, 1}}, {"candidate", 1.25}, {"baseline", 1.0}, {"exact", 1.0}}}};
  return {{"family", family},
          {"size", "full"},
          {"seed", std::string("full/") + family + "/0"},
          {"outputs", Json::array({std::move(output)})}};
}

// What verify stages have as evidence, in short.
inline Json example_acceptance() {
  Json flushed = example_round("denormal", 5e6, 7e6);
  flushed["excused"] = "flushes denormals";
  return {{"rms_ratio", 0.75},
          {"max_ratio", 1.5},
          {"accuracy", "good"},
          {"compared", 93},
          {"left_out", 3},
          {"beyond_kernelbench", 0},
          {"beyond_torch", 6},
          {"policy", {{"rms_good", 8.0}, {"rms_reduced", 16.0}, {"max_most", 16.0}}},
          {"labels", {"not integer-exact", "flushes denormals"}},
          {"rounds", {example_round("own", 0.75, 1.5), example_round("zeros", 0, 0), flushed}},
          {"isolation", "L3"},
          {"seed", std::string(64, 'c')},
          {"launches",
           {{{"size", "full"}, {"seed", 7}, {"parameters", "by seed"}, {"why", "no 'weight'"}}}},
          {"calls", {{"count", 3}, {"wall_ns", 1'234'567}, {"cpu_ns", nullptr}}},
          {"weaker", {"full/nonfinite/0 not tried: ValueError: NaN", "another reason"}}};
}

inline Json example_rejection() {
  Json round = example_round("spike", 80'000, 5.3e6);
  round["complaints"] = {{{"rule", "wrong"}, {"output", 0}, {"why", "something else"}},
                         {{"rule", "unwritten"},
                          {"output", 0},
                          {"why", "8 of 32 elements"},
                          {"index", {3, 0}},
                          {"candidate", "nan"},
                          {"baseline", 2.534015655517578},
                          {"exact", 2.5340155363082886}}};
  Json evidence = example_acceptance();
  evidence["rms_ratio"] = 80'000;
  evidence["max_ratio"] = 5.3e6;
  evidence["accuracy"] = nullptr;
  evidence["labels"] = Json::array();
  evidence["rule"] = "unwritten";
  evidence["why"] = "8 of 32 elements";
  evidence["decided_by"] = round;
  evidence["rounds"] = {example_round("own", 0.75, 1.5), round};
  evidence["weaker"] = Json::array();
  evidence["something_new"] = 3;
  return evidence;
}

// A run with each kind of verdict there is, and a stranger's text that tries to break out.
inline ReportInput example_run() {
  ReportInput input;
  input.folder = "runs/tour";
  input.run.settings.timeout_ns = 300'000'000'000;
  input.run.settings.memory_bytes = uint64_t{8} << 30;
  input.run.assay_version = "0.1.0";
  input.run.created = "2026-01-02T03:00:00Z";
  input.run.machine = Json{{"host", "box"}, {"cores", 2}, {"torch", "2.13.0"}, {"numpy", nullptr}};
  Attempt crashed = example_attempt("level1", "softmax", "a100");
  crashed.stages[1] = {};
  crashed.stages[1].stage = Stage::compile;
  crashed.stages[1].status = StageStatus::failed;
  crashed.stages[1].failure = FailureClass::crash;
  crashed.stages[1].error = "crashed with SIGSEGV (Segmentation fault)";
  crashed.stages[1].detail = "--- printed by the worker ---\nStack dump:\n0. something";
  crashed.artifacts.erase(crashed.artifacts.begin());
  Attempt hostile = example_attempt("level2", "bad|name", "local");
  hostile.stages = {StageRecord{}};
  hostile.stages[0].status = StageStatus::failed;
  hostile.stages[0].failure = FailureClass::load;
  hostile.stages[0].error = "ValueError: | <script>alert(1)</script> `x` \x1b[2J";
  hostile.artifacts.clear();
  Attempt declined = example_attempt("level2", "packed", "a100");
  declined.stages = {StageRecord{}};
  declined.stages[0].status = StageStatus::unsupported;
  declined.stages[0].error = "outputs that are not tensors";
  declined.artifacts.clear();
  Attempt unjudged = example_attempt("level2", "packed", "local");
  unjudged.stages = {StageRecord{}};
  unjudged.stages[0].status = StageStatus::not_judged;
  unjudged.stages[0].error = "there is no file";
  unjudged.artifacts.clear();
  Attempt accepted = example_verified("product", "local");
  accepted.stages.back().evidence = example_acceptance();
  accepted.stages.back().evidence["check"] = {
      {"name", "kernelbench"}, {"correct", true}, {"trials", 5}, {"passed", 5}};
  Attempt replayed = example_verified("softmax", "a72");
  replayed.replay = Replay{"/runs/old", replayed.id, {"torch: 2.12.0 then, 2.13.0 now"}};
  replayed.stages.back().evidence = accepted.stages.back().evidence;
  Attempt rejected = example_verified("product", "cascadelake");
  rejected.stages.back().status = StageStatus::rejected;
  rejected.stages.back().rule = "unwritten";
  rejected.stages.back().evidence = example_rejection();
  rejected.stages.back().evidence["check"] = {{"name", "kernelbench"},
                                              {"correct", false},
                                              {"trials", 5},
                                              {"passed", 1},
                                              {"why", "trial 1: output 0 at [3, 0] is not close"}};
  rejected.stages.back().error =
      "8 of 32 elements hold what was there before the call, the first at [3, 0] (inputs: own)";
  input.attempts = {crashed,  rejected, accepted, example_attempt("level1", "softmax", "local"),
                    declined, hostile,  unjudged, replayed};
  for (Attempt& each : input.attempts) each.verdict = verdict_of(each.stages);
  return input;
}

}  // namespace assay

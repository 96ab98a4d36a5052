// Fills a run's store with attempts that look like those of real runs, for bench/report.py:
//
//     fill_store FOLDER ATTEMPTS [timed]
//
// With `timed`, every second one is verified and timed in full, with all windows. Five targets,
// three levels; one attempt in five did not pass, for one of twenty causes, with the traceback or
// diagnostics that such an attempt carries.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "base/disk.h"
#include "base/hash.h"
#include "store/run_store.h"

namespace {

using assay::Attempt;
using assay::Json;
using assay::StageRecord;

constexpr const char* kTargets[] = {"local", "a100", "cascadelake", "rvv", "mi300x"};
constexpr size_t kTargetCount = std::size(kTargets);

StageRecord exported(size_t number) {
  StageRecord stage;
  stage.wall_ns = 180'000'000 + static_cast<int64_t>(number % 977) * 100'000;
  stage.cpu_ns = *stage.wall_ns - 5'000'000;
  stage.peak_bytes = (300 + number % 97) << 20;
  stage.reuse = "computed: never made before on this machine";
  Json tensor{{"shape", {64, 1024 + number % 31}}, {"dtype", "f32"}};
  stage.evidence = Json{{"inputs", {tensor, tensor}},
                        {"outputs", {tensor}},
                        {"parameters", {{"count", number % 40}, {"bytes", number * 4096}}},
                        {"mlir_bytes", 3000 + number % 5000},
                        {"passes", {{{"name", "decompose"}, {"changed", {"aten.logsumexp"}}}}},
                        {"fallbacks", Json::array()}};
  return stage;
}

StageRecord compiled(size_t number) {
  StageRecord stage;
  stage.stage = assay::Stage::compile;
  stage.wall_ns = 400'000'000 + static_cast<int64_t>(number % 1999) * 1'000'000;
  stage.cpu_ns = *stage.wall_ns;
  stage.peak_bytes = (140 + number % 53) << 20;
  stage.reuse = "computed: never made before on this machine";
  stage.evidence =
      Json{{"flags",
            {"--iree-opt-level=O3", "--iree-vm-bytecode-module-strip-source-map=true",
             "--iree-llvmcpu-debug-symbols=false", "--iree-hal-target-device=local",
             "--iree-hal-local-target-device-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host"}},
           {"artifact_bytes", 9000 + number % 20000},
           {"dispatches", 1 + number % 60}};
  return stage;
}

void fail(StageRecord& stage, size_t number) {
  stage.status = assay::StageStatus::failed;
  stage.evidence = nullptr;
  stage.detail = std::string(2000, 'x');
  if (stage.stage == assay::Stage::export_) {
    stage.failure = assay::FailureClass::export_;
    stage.error = fmt::format(
        "RuntimeError: a and b must have same reduction dim, but got [{}, 7] X [3, 4]. (p{}.py:4)",
        number, number);
  } else {
    stage.failure = assay::FailureClass::import;
    stage.error = fmt::format(
        "failed to legalize operation 'torch.operator' that was explicitly marked illegal: %{} = "
        "\"torch.operator\"(%arg0, %0) <{{name = \"torch.aten.operation_{}\"}}> : "
        "(!torch.vtensor<[{},64],f32>, !torch.none) -> !torch.vtensor<[64],f32>",
        number % 100, std::string(1 + number % 19, 'z'), number);
  }
}

// As many rounds as a verification has, with numbers that differ.
StageRecord verified(size_t number) {
  StageRecord stage;
  stage.stage = assay::Stage::verify;
  stage.wall_ns = 190'000'000;
  stage.evidence = Json{{"rms_ratio", 1.02},
                        {"max_ratio", 1.4},
                        {"accuracy", "good"},
                        {"policy", {{"rms_good", 8}, {"rms_reduced", 16}, {"max_most", 16}}}};
  for (const char* family :
       {"own", "touched", "interior", "zeros", "constants", "moderate", "large", "offset", "spike",
        "nonfinite", "ties", "tiny", "denormal", "own"}) {
    const double error = 1 + static_cast<double>(number % 89) / 89;
    stage.evidence["rounds"].push_back({{"family", family},
                                        {"size", "full"},
                                        {"seed", fmt::format("full/{}/{}", family, number)},
                                        {"outputs",
                                         {{{"name", "output 0"},
                                           {"elements", 4096 + number},
                                           {"compared", 4096 + number},
                                           {"left_out", 0},
                                           {"exact_rms", error},
                                           {"exact_max", 3.7 * error},
                                           {"error_rms", 1.09e-7 * error},
                                           {"error_max", 8.2e-7 * error},
                                           {"baseline_error_rms", 1.08e-7},
                                           {"baseline_error_max", 7.8e-7 * error},
                                           {"rms_ratio", 0.99 * error},
                                           {"max_ratio", 1.05 * error},
                                           {"checked_by", "double"},
                                           {"worst",
                                            {{"index", {0, number % 7, 25}},
                                             {"candidate", 2.14 * error},
                                             {"baseline", 2.14},
                                             {"exact", 2.141 * error}}}}}}});
  }
  return stage;
}

// A full comparison: 12 launches of 40 pairs of windows, as of a kernel of 70 us.
void time_it(Attempt& attempt, size_t number) {
  StageRecord measure, judge;
  measure.stage = assay::Stage::measure;
  judge.stage = assay::Stage::judge;
  const double ratio = 0.25 + static_cast<double>(number * 7919 % 1000) / 250;
  Json ratios = Json::array();
  for (int launch = 0; launch < 12; ++launch) {
    ratios.push_back(ratio * (1 + 0.001 * launch));
    for (int round = 0; round < 40; ++round)
      for (int side = 0; side < 2; ++side) {
        const auto ns = static_cast<int64_t>(3'000'000 * (side == 1 ? ratio : 1)) +
                        static_cast<int64_t>(number * 31 + round * 977 + launch * 7) % 40'000;
        attempt.windows.push_back({.launch = launch,
                                   .round = round,
                                   .place = side,
                                   .side = side,
                                   .calls = 40,
                                   .wall_ns = ns + 9'000,
                                   .cpu_ns = ns,
                                   .draw = fmt::format("own/{}", round)});
      }
  }
  measure.wall_ns = 9'000'000'000;
  measure.evidence = Json{{"measured", {{"launches", 12}, {"pairs", 40}, {"calls", 40}}},
                          {"against", {{{"baseline", "eager"}, {"cpu", {{"launches", ratios}}}}}}};
  judge.evidence = Json{{"against", {{{"baseline", "eager"}, {"outcome", "faster"}}}}};
  attempt.stages.push_back(measure);
  attempt.stages.push_back(judge);
  assay::Timing timing;
  timing.cpu = timing.wall = {75'000, 74'000, 78'000};
  timing.process = {8'000'000, 90'000, 8 << 20};
  timing.bytes = 1 << 20;
  timing.flops = static_cast<int64_t>(1'000'000 * (1 + number % 50));
  timing.bound_ns = 20'000;
  assay::Speedup speedup;
  speedup.baseline = "eager";
  speedup.ratio = ratio;
  speedup.low = ratio * 0.97;
  speedup.high = ratio * 1.03;
  speedup.outcome = ratio > 1.05   ? assay::Outcome::faster
                    : ratio < 0.95 ? assay::Outcome::slower
                                   : assay::Outcome::equal;
  speedup.cpu = speedup.wall = {75'000 * ratio, 74'000 * ratio, 78'000 * ratio};
  timing.speedups = {speedup};
  attempt.timing = timing;
}

Attempt make_attempt(size_t number, bool timed) {
  size_t problem = number / kTargetCount;
  Attempt attempt;
  attempt.workload = fmt::format("problem_{:06}", problem);
  attempt.suite = "synthetic";
  attempt.level = fmt::format("level{}", 1 + problem % 3);
  attempt.path = fmt::format("/suites/synthetic/{}/{}.py", attempt.level, attempt.workload);
  attempt.author = "iree";
  attempt.target = kTargets[number % kTargetCount];
  attempt.reproduce = fmt::format(
      "assay run {} --by iree --on {} --until compile --timeout 5m --memory 8G --out "
      "runs/again-{}",
      attempt.path, attempt.target, attempt.workload);
  attempt.fingerprint = assay::sha256(attempt.path);
  attempt.finished = "2026-01-02T03:04:05Z";
  attempt.stages.push_back(exported(number));
  bool fails_early = problem % 10 == 3;
  if (fails_early) {
    fail(attempt.stages[0], problem);
  } else {
    attempt.stages.push_back(compiled(number));
    attempt.artifacts = {{"kernel.mlir", assay::sha256("m"), 3000 + number % 5000}};
    if (number % 10 == 7)
      fail(attempt.stages[1], number);
    else
      attempt.artifacts.push_back({"artifact.vmfb", assay::sha256("a"), 9000 + number % 20000});
  }
  if (timed && number % 2 == 0 && !attempt.artifacts.empty() && number % 10 != 7) {
    attempt.stages.push_back(verified(number));
    attempt.isolation = "L3";
    attempt.seed = assay::sha256(attempt.path);
    time_it(attempt, number);
  }
  attempt.verdict = assay::verdict_of(attempt.stages);
  attempt.id = assay::attempt_id(attempt, true);
  return attempt;
}

assay::Status fill(const std::string& folder, size_t attempts, bool timed) {
  assay::RunRecord record;
  record.settings.timeout_ns = 300'000'000'000;
  record.assay_version = "bench";
  record.created = "2026-01-02T03:00:00Z";
  if (timed) record.settings.timing = assay::TimingSettings{.against = {"eager"}};
  record.machine = Json{{"host", "bench"}};
  ASSAY_ASSIGN(auto store, assay::RunStore::open_to_write(assay::system_disk(), folder, record));
  for (size_t i = 0; i < attempts; ++i) ASSAY_TRY(store.save(make_attempt(i, timed)));
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const bool timed = argc == 4 && std::string_view(argv[3]) == "timed";
  if (argc != 3 && !timed) {
    std::fprintf(stderr, "usage: fill_store FOLDER ATTEMPTS [timed]\n");
    return 2;
  }
  auto filled = fill(argv[1], std::strtoull(argv[2], nullptr, 10), timed);
  if (filled) return 0;
  std::fprintf(stderr, "fill_store: %s\n", filled.error().describe().c_str());
  return 1;
}

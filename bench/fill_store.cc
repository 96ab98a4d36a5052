// Fills a run's store with attempts that look like those of real runs, for bench/report.py:
//
//     fill_store FOLDER ATTEMPTS
//
// Five targets, three levels; one attempt in five did not pass, for one of twenty causes, with the
// traceback or diagnostics that such an attempt carries.
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

Attempt make_attempt(size_t number) {
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
  attempt.verdict = assay::verdict_of(attempt.stages);
  attempt.id = assay::attempt_id(attempt, true);
  return attempt;
}

assay::Status fill(const std::string& folder, size_t attempts) {
  assay::RunRecord record;
  record.settings.timeout_ns = 300'000'000'000;
  record.assay_version = "bench";
  record.created = "2026-01-02T03:00:00Z";
  record.machine = Json{{"host", "bench"}};
  ASSAY_ASSIGN(auto store, assay::RunStore::open_to_write(assay::system_disk(), folder, record));
  for (size_t i = 0; i < attempts; ++i) ASSAY_TRY(store.save(make_attempt(i)));
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: fill_store FOLDER ATTEMPTS\n");
    return 2;
  }
  auto filled = fill(argv[1], std::strtoull(argv[2], nullptr, 10));
  if (filled) return 0;
  std::fprintf(stderr, "fill_store: %s\n", filled.error().describe().c_str());
  return 1;
}

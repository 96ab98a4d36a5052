#include "verify/suite_run.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "base/units.h"
#include "run/outcome.h"
#include "sandbox/memory_file.h"

namespace assay {
namespace {

// Of all that the tests of one kernel leave. Beyond it is no suite's.
constexpr uint64_t kMostResultBytes = uint64_t{600} << 20;
constexpr size_t kMostNames = 64;

Json job_of(const SuiteTask& task, const SuiteRunSetting& setting) {
  Json job{{"job", "tests"},
           {"name", task.name},
           {"style", task.style == TestStyle::pytest ? "pytest" : "script"},
           {"results", task.results},
           {"seed", setting.seed},
           {"secret", setting.is_secret},
           {"drops_tests", setting.drops_tests}};
  if (setting.gpu)
    job["gpu"] = {{"compile", true},
                  {"kind", to_word(kGpuKindWords, setting.gpu->kind)},
                  {"architecture", setting.gpu->architecture},
                  {"warp_threads", setting.gpu->warp_threads},
                  {"shared_bytes", setting.gpu->shared_bytes},
                  {"phases", setting.phases}};
  return job;
}

StageRecord malformed_answer(const std::string& what) {
  return failed_stage(Stage::smoke, FailureClass::protocol, what);
}

// Its process has ended: nobody changes it any more.
Result<std::string> read_written(const UniqueFd& file) {
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) return errno_error("look at a file in memory");
  if (static_cast<uint64_t>(info.st_size) > kMostResultBytes)
    return error(Code::corrupt,
                 "what its tests left is larger than " + format_bytes(kMostResultBytes));
  return read_memory_file(file);
}

void take_result(const UniqueFd& file, SuiteRun& run) {
  auto written = read_written(file);
  auto tree = written ? read_result_tree(std::move(*written))
                      : Result<ResultTree>(std::unexpected(std::move(written).error()));
  if (!tree) {
    run.record = malformed_answer(tree.error().message);
    return;
  }
  if (tree->root.kind != ResultNode::Kind::tuple || tree->root.parts.size() != 2) {
    run.record = malformed_answer("what its tests left is no pair");
    return;
  }
  std::vector<ResultNode> parts = std::move(tree->root.parts);
  run.variables = std::move(parts[1]);
  run.result = ResultTree{std::move(tree->written), std::move(parts[0])};
}

void take_kernels(const UniqueFd& file, SuiteRun& run) {
  auto written = read_written(file);
  auto kernels = written ? read_gpu_kernels(*written)
                         : Result<GpuKernels>(std::unexpected(std::move(written).error()));
  if (!kernels) {
    run.record = malformed_answer(kernels.error().message);
    return;
  }
  run.kernels = std::move(*kernels);
}

}  // namespace

Result<SuiteTold> read_suite_told(const Json& json) {
  JsonReader fields(json, "what was seen of the tests");
  SuiteTold told{.launches = fields.integer("launches"),
                 .kernels = fields.texts("kernels"),
                 .narrow = fields.texts("narrow"),
                 .outside = fields.texts("outside"),
                 .replaced = {},
                 .scratch = {},
                 .found = fields.optional_text("found").value_or("")};
  if (fields.has("replaced")) told.replaced = fields.texts("replaced");
  if (fields.has("scratch")) told.scratch = fields.texts("scratch");
  ASSAY_TRY(fields.status());
  for (std::vector<std::string>* names :
       {&told.kernels, &told.narrow, &told.outside, &told.replaced})
    names->resize(std::min(names->size(), kMostNames));
  return told;
}

Json modules_of(const SuiteTask& task) {
  Json modules = Json::object();
  for (const SuiteModule& each : task.modules) modules[each.name] = each.text;
  return modules;
}

Result<SuiteRun> run_suite_tests(const SuiteTask& task, std::string_view code,
                                 const SuiteRunSetting& setting, const VerifyTools& tools,
                                 const Limits& limits, Children& children) {
  SuiteRun run;
  ASSAY_ASSIGN(UniqueFd source, sealed_memory_file("assay-candidate", code));
  ASSAY_ASSIGN(UniqueFd tests, sealed_memory_file("assay-tests", task.tests));
  ASSAY_ASSIGN(UniqueFd modules, sealed_memory_file("assay-modules", dump_json(modules_of(task))));
  ASSAY_ASSIGN(UniqueFd results, empty_memory_file("assay-results"));
  const Job job{job_of(task, setting), {source.get(), tests.get(), modules.get(), results.get()}};
  const Runner& runner = setting.gpu ? suite_compile_runner() : suite_runner();
  ASSAY_ASSIGN(ChildId child, children.start(runner_image(tools, runner), limits, job));
  std::optional<Json> answer;
  Event event;
  while (event.kind != Event::Kind::ended) {
    ASSAY_ASSIGN(event, children.next(child, limits.timeout_ns));
    if (event.kind == Event::Kind::message) answer = std::move(event.message);
  }
  const bool answered = event.ending.kind == EndKind::answered && answer;
  run.record = answered ? stage_from_answer(Stage::smoke, *answer)
                        : stage_from_ending(Stage::smoke, event.ending);
  if (answered && answer->is_object()) {
    const bool is_ok = run.record.status == StageStatus::ok;
    auto told = read_suite_told(is_ok ? run.record.evidence : answer->value("seen", Json()));
    if (!told)
      run.record = malformed_answer(told.error().message);
    else
      run.told = std::move(*told);
    run.parses =
        !(run.record.failure == FailureClass::load && run.record.error.starts_with("SyntaxError"));
  }
  run.record.evidence = nullptr;
  add_costs(run.record, event.ending);
  if (setting.gpu) {
    if (answered) take_kernels(results, run);
  } else if (run.record.status == StageStatus::ok) {
    take_result(results, run);
  }
  return run;
}

}  // namespace assay

// How long a worker takes to come up, and what a job costs that does nothing, with the real images:
// the Python zygote (torch and iree.turbine imported) and the compiler zygote.
//
// Needs ASSAY_PYTHON. bench/run.py calls this and writes bench/results/.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "compile/compile_job.h"
#include "run/export.h"
#include "sandbox/process_spawner.h"
#include "setup/tools.h"

namespace assay {
namespace {

struct Bench {
  std::string scratch;
  std::unique_ptr<ProcessSpawner> spawner;
  Tools tools;
};

[[noreturn]] void give_up(const Error& error) {
  std::fprintf(stderr, "spawn_bench: %s\n", error.describe().c_str());
  std::exit(1);
}

template <class T>
T or_give_up(Result<T> result) {
  if (!result) give_up(result.error());
  return std::move(*result);
}

Bench& bench() {
  static Bench* made = [] {
    auto* result = new Bench;
    char scratch[] = "/tmp/assay_bench_XXXXXX";
    if (!mkdtemp(scratch)) std::exit(1);
    result->scratch = scratch;
    result->spawner = or_give_up(ProcessSpawner::create(result->scratch));
    Places places = or_give_up(find_places());
    std::string python = or_give_up(find_python(places));
    result->tools =
        or_give_up(find_tools(system_disk(), places, or_give_up(describe_python(python, places))));
    return result;
  }();
  return *made;
}

Ending run(const Image& image, const Job& job) {
  Limits limits;
  limits.timeout_ns = 60'000'000'000;
  limits.memory_bytes = uint64_t{4} << 30;
  or_give_up(bench().spawner->start(image, limits, job));
  while (true) {
    Event event = or_give_up(bench().spawner->next(60'000'000'000));
    if (event.kind != Event::Kind::ended) continue;
    if (event.ending.kind != EndKind::answered)
      give_up({Code::unavailable, event.ending.message + event.ending.output, "", {}});
    return event.ending;
  }
}

// A precision the exporter declines: the worker answers as soon as it has read the job.
WorkloadJob export_job() {
  return or_give_up(make_export_job({"/x.py", "", "eval", Precision::f16}));
}
// A flag the compiler does not know: likewise.
CompileJob compile_job() {
  return or_give_up(make_compile_job("p", {{.flags = {"--no-such-flag"}}}, {}));
}

// Times one part of `job`'s life, once per iteration.
void measure(benchmark::State& state, const Image& image, const Job& job, int64_t Ending::* part) {
  for (auto _ : state) state.SetIterationTime(static_cast<double>(run(image, job).*part) / 1e9);
}

void export_ready(benchmark::State& state) {
  measure(state, bench().tools.exporter, export_job().job, &Ending::ready_ns);
}
void export_empty_job(benchmark::State& state) {
  measure(state, bench().tools.exporter, export_job().job, &Ending::wall_ns);
}
void compile_ready(benchmark::State& state) {
  measure(state, bench().tools.compiler.image, compile_job().job, &Ending::ready_ns);
}
void compile_empty_job(benchmark::State& state) {
  measure(state, bench().tools.compiler.image, compile_job().job, &Ending::wall_ns);
}

#define EACH_ON_ITS_OWN                                                          \
  UseManualTime()->Iterations(1)->Repetitions(40)->ReportAggregatesOnly()->Unit( \
      benchmark::kMillisecond)
BENCHMARK(export_ready)->EACH_ON_ITS_OWN;
BENCHMARK(export_empty_job)->EACH_ON_ITS_OWN;
BENCHMARK(compile_ready)->EACH_ON_ITS_OWN;
BENCHMARK(compile_empty_job)->EACH_ON_ITS_OWN;

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  // The images start with the first job: not part of any figure.
  assay::run(assay::bench().tools.exporter, assay::export_job().job);
  assay::run(assay::bench().tools.compiler.image, assay::compile_job().job);
  benchmark::RunSpecifiedBenchmarks();
  assay::bench().spawner.reset();
  return 0;
}

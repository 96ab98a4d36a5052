// What a hostile worker may say: any message becomes a record that is sound.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "compile/compile_job.h"
#include "model/attempt.h"
#include "run/outcome.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace assay;
  auto message = parse_json({reinterpret_cast<const char*>(data), size}, "a message");
  if (!message) return 0;
  Attempt attempt;
  attempt.author = "iree";
  attempt.stages = {stage_from_answer(Stage::export_, *message)};
  attempt.verdict = verdict_of(attempt.stages);
  attempt.id = attempt_id(attempt);
  if (!check(attempt)) abort();
  static CompileJob* job = new CompileJob(std::move(*make_compile_job("p", {{"--a"}, {}}, true)));
  job->printed.clear();
  auto answer = read_compile_answer(*job, *message);
  if (answer && answer->record.status == StageStatus::ok &&
      !is_whole_module(answer->files.front().bytes))
    abort();
  return 0;
}

// What a hostile worker may say: any message becomes a record that is sound.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "compile/artifact.h"
#include "compile/compile_job.h"
#include "model/attempt.h"
#include "run/description.h"
#include "run/outcome.h"

extern "C" int fuzz_message(const uint8_t* data, size_t size) {
  using namespace assay;
  auto message = parse_json({reinterpret_cast<const char*>(data), size}, "a message");
  if (!message) return 0;
  Attempt attempt;
  attempt.author = "iree";
  attempt.stages = {stage_from_answer(Stage::export_, *message)};
  attempt.verdict = verdict_of(attempt.stages);
  attempt.id = attempt_id(attempt, attempt.author != "iree");
  if (!check(attempt)) abort();
  // What is kept of a description reads as one again, and is all of it.
  if (auto described = read_description(*message))
    if (auto again = read_description(*described); !again || *again != *described) abort();
  // The first target's file holds a whole module and the text of a phase.
  static CompileJob* job = [] {
    auto* made = new CompileJob(
        std::move(*make_compile_job("p", {{.flags = {"--a"}}, {}}, {.phases = true})));
    const std::string bytes("\x10\0\0\0\x10\0\0\0IREE........mlir", 24);
    if (::pwrite(made->results[0].get(), bytes.data(), bytes.size(), 0) != 24) abort();
    return made;
  }();
  auto answer = read_compile_answer(*job, *message);
  if (answer && answer->record.status == StageStatus::ok &&
      !is_whole_module(answer->files.front().bytes))
    abort();
  return 0;
}

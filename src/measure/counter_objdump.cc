// The instruction mix of a native candidate's inner loop.
#include "base/escape.h"
#include "compile/instruction_mix.h"
#include "measure/counter.h"
#include "sandbox/memory_file.h"

namespace assay {
namespace {

// It is run where compilers are, in their jail: what it reads is a candidate's. Its text comes in
// the place of a library.
constexpr const char* kScript = "disassemble.sh";
constexpr const char* kCommand =
    "objdump -d --no-show-raw-insn \"$3\" | head -c 33554432 >\"$2\"\n";
constexpr const char* kSubject = "candidate.so";

bool is_native(const VerifyJob& job) { return job.form->is_built_here() && !job.gpu; }

Result<Json> disassemble(const CountedCandidate& candidate) {
  const NativeJob build =
      with_includes(kernel_job(candidate.job.form->is_built_as_c(), candidate.job.candidate,
                               candidate.tools.include),
                    candidate.tools);
  ASSAY_ASSIGN(NativeBuild built,
               make_library(build, candidate.tools, candidate.children, candidate.libraries));
  if (built.record.status != StageStatus::ok) return Json(nullptr);
  ASSAY_ASSIGN(std::string library, read_memory_file(built.library));
  NativeJob job{.compile = {"/bin/sh", kScript},
                .files = {{kScript, kCommand}, {kSubject, std::move(library)}},
                .sources = {kSubject},
                .link = {}};
  ASSAY_ASSIGN(NativeBuild listed, build_native(job, candidate.tools.native_compiler,
                                                candidate.tools.build_limits, candidate.children));
  if (listed.record.status != StageStatus::ok) return Json(nullptr);
  ASSAY_ASSIGN(const std::string text, read_memory_file(listed.library));
  const auto mix = inner_loop(text);
  return mix ? to_json(*mix) : Json(nullptr);
}

}  // namespace

Counter objdump_counter() {
  return {.name = "objdump",
          .title = "the instructions of the inner loop of a kernel in C or C++",
          .missing = [](const Machine& machine) { return not_found(machine, "objdump"); },
          .serves = is_native,
          .count = disassemble,
          .words = mix_in_words};
}

}  // namespace assay

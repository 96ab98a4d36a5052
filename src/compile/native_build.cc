#include "compile/native_build.h"

#include <vector>

#include "compile/diagnostics.h"
#include "run/outcome.h"
#include "sandbox/memory_file.h"

namespace assay {
namespace {

// As include/assay/kernel.h promises.
std::vector<std::string> command_for(bool is_c, const std::string& include) {
  return {is_c ? "cc" : "c++",
          is_c ? "-std=gnu17" : "-std=gnu++20",
          "-O3",
          "-march=native",
          "-fPIC",
          "-shared",
          "-fopenmp",
          "-I" + include};
}

}  // namespace

Result<NativeBuild> build_native(const NativeSource& source, const std::string& include,
                                 const Image& image, const Limits& limits, Children& children) {
  NativeBuild build;
  std::vector<std::string> command = command_for(source.is_c, include);
  ASSAY_ASSIGN(UniqueFd text, sealed_memory_file("assay-source", source.bytes));
  ASSAY_ASSIGN(build.library, empty_memory_file("assay-library"));
  Job job;
  job.body = {{"command", command}, {"source", source.is_c ? "kernel.c" : "kernel.cc"}};
  job.descriptors = {text.get(), build.library.get()};
  ASSAY_ASSIGN(ChildId child, children.start(image, limits, job));
  std::optional<Json> answer;
  Event event;
  while (event.kind != Event::Kind::ended) {
    ASSAY_ASSIGN(event, children.next(child, limits.timeout_ns));
    if (event.kind == Event::Kind::message) answer = std::move(event.message);
  }
  bool answered = event.ending.kind == EndKind::answered && answer;
  build.record = answered ? stage_from_answer(Stage::compile, *answer)
                          : stage_from_ending(Stage::compile, event.ending);
  add_costs(build.record, event.ending);
  std::string line = first_error_line(event.ending.output);
  if (build.record.failure == FailureClass::build && !line.empty())
    build.record.error = std::move(line);
  if (build.record.status == StageStatus::ok) {
    ASSAY_ASSIGN(MappedFile library, MappedFile::map(build.library));  // seals it
    build.record.evidence = Json{{"command", command}, {"library_bytes", library.bytes().size()}};
  }
  return build;
}

}  // namespace assay

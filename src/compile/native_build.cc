#include "compile/native_build.h"

#include <fmt/format.h>

#include <vector>

#include "compile/diagnostics.h"
#include "compile/openmp_order.h"
#include "run/outcome.h"
#include "sandbox/memory_file.h"

namespace assay {
namespace {

Json to_json(const NativeJob& native) {
  Json files = Json::array();
  for (const NamedText& file : native.files)
    files.push_back({{"name", file.name}, {"bytes", file.text.size()}});
  return {{"compile", native.compile},
          {"files", std::move(files)},
          {"sources", native.sources},
          {"link", native.link}};
}

}  // namespace

NativeJob kernel_job(bool is_c, std::string source, const std::string& include,
                     SanitizerKind sanitizer) {
  const char* name = is_c ? "kernel.c" : "kernel.cc";
  NativeJob job{.compile = {is_c ? "cc" : "c++", is_c ? "-std=gnu17" : "-std=gnu++20", "-O3",
                            "-march=native", "-fPIC", "-shared", "-fopenmp", "-I" + include},
                .files = {{name, std::move(source)}},
                .sources = {name},
                .link = {"-lm"}};
  if (sanitizer == SanitizerKind::none) return job;
  // Not so optimised that what is out of bounds is no longer there.
  for (std::string& flag : job.compile)
    if (flag == "-O3") flag = "-O1";
  job.compile.insert(job.compile.end(),
                     {fmt::format("-fsanitize={}", to_word(kSanitizerWords, sanitizer)), "-g",
                      "-fno-omit-frame-pointer"});
  if (sanitizer == SanitizerKind::thread) {
    job.files.push_back({kOpenmpOrderName, kOpenmpOrder});
    job.sources.emplace_back(kOpenmpOrderName);
  }
  return job;
}

NativeJob extension_job(ExtensionRequest request) {
  NativeJob native{.compile = {"c++"},
                   .files = std::move(request.files),
                   .sources = std::move(request.sources),
                   .link = std::move(request.link_flags)};
  native.compile.insert(native.compile.end(), request.compile_flags.begin(),
                        request.compile_flags.end());
  return native;
}

Result<NativeBuild> build_native(const NativeJob& native, const Image& image, const Limits& limits,
                                 Children& children) {
  NativeBuild build;
  std::string texts;  // not as JSON: they need not be text at all
  for (const NamedText& file : native.files) texts += file.text;
  ASSAY_ASSIGN(UniqueFd sheet, sealed_memory_file("assay-build", dump_json(to_json(native))));
  ASSAY_ASSIGN(UniqueFd files, sealed_memory_file("assay-sources", texts));
  ASSAY_ASSIGN(build.library, empty_memory_file("assay-library"));
  Job job;
  job.body = {{"job", "build"}};
  job.descriptors = {sheet.get(), files.get(), build.library.get()};
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
  // The compiler's own processes: what is left of it only knows that one has ended.
  if (build.record.failure == FailureClass::build && event.ending.memory_exceeded)
    build.record =
        failed_stage(Stage::compile, FailureClass::out_of_memory,
                     "the compiler took more memory than it may, so the kernel ended it");
  add_costs(build.record, event.ending);
  std::string line = first_error_with_place(event.ending.output);
  if (build.record.failure == FailureClass::build && !line.empty())
    build.record.error = std::move(line);
  else if (build.record.failure == FailureClass::build && !event.ending.output.empty())
    // Where it does not come to the code at all, it has another word for an error.
    build.record.error += ": " + event.ending.output.substr(0, event.ending.output.find('\n'));
  if (build.record.status == StageStatus::ok) {
    ASSAY_ASSIGN(MappedFile library, MappedFile::map(build.library));  // seals it
    build.record.evidence =
        Json{{"command", native.compile}, {"library_bytes", library.bytes().size()}};
  }
  return build;
}

}  // namespace assay

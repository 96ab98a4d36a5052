#include "verify/extension_build.h"

#include <algorithm>
#include <mutex>
#include <string_view>
#include <utility>

namespace assay {
namespace {

// The part of torch/extension.h that kernels use.
constexpr const char* kHeader = R"(#pragma once
#include <torch/types.h>

#include <ATen/Parallel.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/pybind.h>
#include <torch/utils.h>
)";
// A precompiled one has half a gigabyte.
constexpr uint64_t kHeaderDiskBytes = uint64_t{2} << 30;
// It takes half a minute of a quiet core, for all candidates to come: no one's time limit counts.
constexpr int64_t kHeaderTimeoutNs = 600'000'000'000;
constexpr const char* kHeaderName = "extension.h";

// A precompiled header counts only where nothing stands before it.
bool begins_with_header(const NativeJob& job) {
  return std::ranges::any_of(job.files, [](const NamedText& file) {
    return file.text.starts_with("#include <torch/extension.h>");
  });
}

// What of the flags a precompiled header depends on. Of the levels of optimisation only that there
// is one, but for those that define macros of their own.
std::vector<std::string> header_flags(const std::vector<std::string>& compile) {
  std::vector<std::string> flags;
  for (const std::string& flag : compile) {
    if (flag == "-I." || flag.starts_with("-DTORCH_EXTENSION_NAME=") || flag.starts_with("-W"))
      continue;
    flags.push_back(flag == "-O1" || flag == "-O2" || flag == "-O" ? "-O3" : flag);
  }
  flags.insert(flags.end(), {"-x", "c++-header"});
  return flags;
}

// Whether its code asks the preprocessor what is there: torch's own header defines more, and what
// is not defined is no error there, but other code.
bool has_conditionals(const NativeJob& job) {
  return std::ranges::any_of(job.files, [](const NamedText& file) {
    std::string_view text = file.text;
    for (size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1)) {
      const size_t word = text.find_first_not_of(" \t", at + 1);
      if (word != std::string_view::npos && text.substr(word).starts_with("if")) return true;
    }
    return false;
  });
}

NativeJob header_job(const NativeJob& job) {
  return {.compile = header_flags(job.compile),
          .files = {{kHeaderName, kHeader}},
          .sources = {kHeaderName},
          .link = {}};
}

// The folder with a precompiled header for the job; "" where there can be none.
Result<std::string> headers_for(const NativeJob& job, const VerifyTools& tools, Children& children,
                                NativeLibraries& libraries, std::optional<StageRecord>& made) {
  static std::mutex one_at_a_time;  // the second waits, and finds what the first has made
  std::lock_guard lock(one_at_a_time);
  const NativeJob header = header_job(job);
  std::string folder = libraries.find_header(header);
  if (!folder.empty()) return folder;
  Limits limits = tools.build_limits;
  limits.timeout_ns = std::max(limits.timeout_ns, kHeaderTimeoutNs);
  if (limits.jail) limits.jail->disk_bytes = limits.jail->file_bytes = kHeaderDiskBytes;
  ASSAY_ASSIGN(NativeBuild build, build_native(header, tools.native_compiler, limits, children));
  const bool good = build.record.status == StageStatus::ok;
  made = std::move(build.record);
  return good ? libraries.keep_header(header, build.library) : "";
}

}  // namespace

Result<ExtensionBuild> make_extension(ExtensionRequest request, const VerifyTools& tools,
                                      Children& children, NativeLibraries& libraries) {
  const NativeJob job = extension_job(std::move(request));
  ExtensionBuild made;
  std::string why_not;
  if (auto found = libraries.find(job, why_not)) {
    made.build = std::move(*found);
    return made;
  }
  std::string folder;
  if (begins_with_header(job) && !has_conditionals(job)) {
    ASSAY_ASSIGN(folder, headers_for(job, tools, children, libraries, made.header_made));
  }
  bool is_done = false;
  if (!folder.empty()) {
    NativeJob quick = job;
    quick.compile.insert(quick.compile.begin() + 1, "-I" + folder);
    Limits limits = tools.build_limits;
    if (limits.jail) limits.jail->read_only.push_back(folder);
    ASSAY_ASSIGN(made.build, build_native(quick, tools.native_compiler, limits, children));
    made.precompiled = made.build.record.status == StageStatus::ok;
    // Whatever the compiler says of it may be for want of the rest.
    is_done = made.precompiled || made.build.record.failure != FailureClass::build;
  }
  if (!is_done) {
    ASSAY_ASSIGN(made.build,
                 build_native(job, tools.native_compiler, tools.build_limits, children));
  }
  made.build.record.reuse = why_not;
  if (made.build.record.status == StageStatus::ok) ASSAY_TRY(libraries.keep(job, made.build));
  return made;
}

}  // namespace assay

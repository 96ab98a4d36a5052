#include "verify/extension_build.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
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
// Nothing of a candidate's is in it, but for flags out of a list.
constexpr int64_t kHeaderTimeoutNs = 600'000'000'000;
constexpr const char* kHeaderName = "extension.h";

// A precompiled header counts only where nothing stands before it.
bool begins_with_header(const NativeJob& job) {
  return std::ranges::any_of(job.files, [](const NamedText& file) {
    return file.text.starts_with("#include <torch/extension.h>");
  });
}

// "-Wall", and not "-Wl,..." or "-Wp,...", which say something to others.
bool is_warning(std::string_view flag) {
  return flag.starts_with("-W") && flag.find(',') == std::string_view::npos;
}

// Flags that headers are precompiled with: what changes the code of what they define, and nothing
// that has the compiler call, read or write anything. Folders of headers stand beside.
constexpr std::string_view kHeaderFlags[] = {"-O3",
                                             "-Ofast",
                                             "-fPIC",
                                             "-fopenmp",
                                             "-ffast-math",
                                             "-march=native",
                                             "-mtune=native",
                                             "-mfma",
                                             "-mavx",
                                             "-mavx2",
                                             "-mavx512f",
                                             "-funroll-loops",
                                             "-fno-math-errno",
                                             "-ftree-vectorize",
                                             "-std=c++17",
                                             "-std=c++20",
                                             "-std=gnu++17",
                                             "-std=gnu++20",
                                             "-DNDEBUG",
                                             "-DTORCH_API_INCLUDE_EXTENSION_H"};

// What of the flags a precompiled header depends on; nothing where there is one that no header is
// made with. Of the levels of optimisation only that there is one, but for those that define macros
// of their own. What else is defined is left out: a compiler takes no header that it would change.
std::optional<std::vector<std::string>> header_flags(const std::vector<std::string>& compile) {
  std::vector<std::string> flags{compile.front()};
  for (size_t i = 1; i < compile.size(); ++i) {
    const std::string& flag = compile[i];
    const bool is_optimised = flag == "-O1" || flag == "-O2" || flag == "-O";
    if (flag == "-isystem" && i + 1 < compile.size() && compile[i + 1].starts_with('/')) {
      flags.insert(flags.end(), {flag, compile[++i]});
    } else if (is_optimised || std::ranges::find(kHeaderFlags, flag) != std::end(kHeaderFlags)) {
      flags.push_back(is_optimised ? "-O3" : flag);
    } else if (flag.starts_with("-D_GLIBCXX_USE_CXX11_ABI=")) {
      flags.push_back(flag);
    } else if (flag != "-I." && !flag.starts_with("-D") && !is_warning(flag)) {
      return std::nullopt;
    }
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

NativeJob header_job(std::vector<std::string> flags) {
  return {.compile = std::move(flags),
          .files = {{kHeaderName, kHeader}},
          .sources = {kHeaderName},
          .link = {}};
}

// The folder with a precompiled header for the job; "" where there can be none.
Result<std::string> headers_for(const NativeJob& job, const VerifyTools& tools, Children& children,
                                NativeLibraries& libraries, std::optional<StageRecord>& made) {
  auto flags = header_flags(job.compile);
  if (!flags) return "";
  const NativeJob header = header_job(std::move(*flags));
  if (std::string folder = libraries.find_header(header); !folder.empty()) return folder;
  static std::mutex one_at_a_time;  // the second waits, and finds what the first has made
  static std::set<std::vector<std::string>> not_made;
  std::lock_guard lock(one_at_a_time);
  if (std::string folder = libraries.find_header(header); !folder.empty()) return folder;
  if (not_made.contains(header.compile)) return "";
  Limits limits = tools.build_limits;
  limits.timeout_ns = std::max(limits.timeout_ns, kHeaderTimeoutNs);
  if (limits.jail) limits.jail->disk_bytes = limits.jail->file_bytes = kHeaderDiskBytes;
  ASSAY_ASSIGN(NativeBuild build, build_native(header, tools.native_compiler, limits, children));
  const bool good = build.record.status == StageStatus::ok;
  made = std::move(build.record);
  if (!good) not_made.insert(header.compile);
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

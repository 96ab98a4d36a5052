#include "verify/extension_build.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"

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
// that has the compiler call, read or write anything. Torch's folders of headers stand beside.
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

bool is_among(std::string_view text, std::span<const std::string> all) {
  return std::ranges::find(all, text) != all.end();
}

}  // namespace

std::optional<std::vector<std::string>> header_flags(const std::vector<std::string>& compile,
                                                     std::span<const std::string> headers) {
  std::vector<std::string> flags, folders;
  // Of several of one kind the last counts: each stands there once.
  auto put = [](std::vector<std::string>& list, const std::string& each) {
    std::erase(list, each);
    list.push_back(each);
  };
  for (size_t i = 1; i < compile.size(); ++i) {
    const std::string& flag = compile[i];
    const bool is_optimised = flag == "-O1" || flag == "-O2" || flag == "-O";
    if (flag == "-isystem" && i + 1 < compile.size() && is_among(compile[i + 1], headers)) {
      put(folders, compile[++i]);
    } else if (is_optimised || std::ranges::find(kHeaderFlags, flag) != std::end(kHeaderFlags)) {
      put(flags, is_optimised ? "-O3" : flag);
    } else if (flag.starts_with("-D_GLIBCXX_USE_CXX11_ABI=")) {
      put(flags, flag);
    } else if (flag != "-I." && !flag.starts_with("-D") && !is_warning(flag)) {
      return std::nullopt;
    }
  }
  std::vector<std::string> all{compile.front()};
  for (const std::string& folder : folders) all.insert(all.end(), {"-isystem", folder});
  all.insert(all.end(), flags.begin(), flags.end());
  all.insert(all.end(), {"-x", "c++-header"});
  return all;
}

namespace {

// Macros that only a compiler defines, whatever is included: they begin so.
constexpr std::array<std::string_view, 12> kOfTheCompiler{
    "_OPENMP", "__AVX",  "__SSE",     "__FMA__",    "__F16C__",    "__BMI",
    "__ARM_",  "__GNUC", "__clang__", "__x86_64__", "__aarch64__", "__cplusplus"};

// Whether a condition of the preprocessor, the rest of its line, depends on what was included.
bool asks_for_more_than_the_compiler(std::string_view condition) {
  if (condition.contains('\\')) return true;  // it goes on
  auto is_of_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t at = 0; at < condition.size();) {
    size_t end = at;
    while (end < condition.size() && is_of_word(condition[end])) ++end;
    const std::string_view word = condition.substr(at, end - at);
    const bool is_name = !word.empty() && !std::isdigit(static_cast<unsigned char>(word.front()));
    if (is_name && word != "defined" &&
        std::ranges::none_of(kOfTheCompiler, [&](auto each) { return word.starts_with(each); }))
      return true;
    at = std::max(end, at + 1);
  }
  return false;
}

}  // namespace

bool depends_on_what_is_included(const std::vector<NamedText>& files) {
  return std::ranges::any_of(files, [](const NamedText& file) {
    std::string_view text = file.text;
    for (size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1)) {
      std::string_view line = text.substr(at + 1);
      line = line.substr(0, line.find('\n'));
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
      for (std::string_view word : {"ifdef", "ifndef", "if", "elif"})
        if (line.starts_with(word)) {
          if (asks_for_more_than_the_compiler(line.substr(word.size()))) return true;
          break;
        }
    }
    return false;
  });
}

bool lacks_only_punctuation(std::string_view printed) {
  constexpr std::string_view kError = "error: ";  // "fatal error: ", too
  bool any = false;
  for (const std::string_view line : lines_of(printed)) {
    if (line.starts_with("[... ")) return false;  // some of it was left out
    const size_t error = line.find(kError);
    if (error == std::string_view::npos) continue;
    std::string message;  // its quotation marks are ' in one locale, and of two kinds in others
    for (const char c : line.substr(error + kError.size()))
      if (static_cast<unsigned char>(c) < 0x80 && c != '\'') message += c;
    std::string_view expected = message;
    if (!expected.starts_with("expected ")) return false;
    expected.remove_prefix(std::string_view("expected ").size());
    const size_t end = std::min(expected.find(" before "), expected.find(" at end of input"));
    if (end == std::string_view::npos) return false;
    std::istringstream words{std::string(expected.substr(0, end))};
    for (std::string word; words >> word;)
      if (word != "or" && word.find_first_not_of(",;(){}[]:") != std::string::npos) return false;
    any = true;
  }
  return any;
}

namespace {

NativeJob header_job(std::vector<std::string> flags) {
  return {.compile = std::move(flags),
          .files = {{kHeaderName, kHeader}},
          .sources = {kHeaderName},
          .link = {}};
}

// The folder with a precompiled header for the job; none where there can be none.
Result<FolderInUse> header_for(const NativeJob& job, const VerifyTools& tools, Children& children,
                               NativeLibraries& libraries, std::optional<StageRecord>& made) {
  auto flags = header_flags(job.compile, tools.headers);
  if (!flags) return FolderInUse{};
  const NativeJob header = header_job(std::move(*flags));
  if (FolderInUse folder = libraries.find_header(header); !folder.path.empty()) return folder;
  static std::mutex one_at_a_time;  // the second waits, and finds what the first has made
  static std::set<std::vector<std::string>> refused;
  std::lock_guard lock(one_at_a_time);
  if (FolderInUse folder = libraries.find_header(header); !folder.path.empty()) return folder;
  if (refused.contains(header.compile)) return FolderInUse{};
  ASSAY_ASSIGN(NativeBuild build,
               build_native(header, tools.native_compiler, tools.header_limits, children));
  made = std::move(build.record);
  if (made->status == StageStatus::ok) return libraries.keep_header(header, build.library);
  // What else ends it may be otherwise the next time.
  if (made->failure == FailureClass::build) refused.insert(header.compile);
  return FolderInUse{};
}

}  // namespace

Result<ExtensionBuild> make_extension(ExtensionRequest request, const VerifyTools& tools,
                                      Children& children, NativeLibraries& libraries) {
  const NativeJob plain = extension_job(std::move(request));
  const NativeJob job = with_includes(plain, tools);
  ExtensionBuild made;
  std::string why_not;
  if (auto found = libraries.find(job, why_not)) {
    made.build = std::move(*found);
    return made;
  }
  FolderInUse header;
  if (begins_with_header(job) && !depends_on_what_is_included(job.files)) {
    ASSAY_ASSIGN(header, header_for(plain, tools, children, libraries, made.header_made));
  }
  bool is_done = false;
  if (!header.path.empty()) {
    NativeJob quick = job;
    quick.compile.insert(quick.compile.begin() + 1, "-I" + header.path);
    Limits limits = tools.build_limits;
    if (limits.jail) limits.jail->read_only.push_back(header.path);
    ASSAY_ASSIGN(made.build, build_native(quick, tools.native_compiler, limits, children));
    made.precompiled = made.build.record.status == StageStatus::ok;
    // Whatever the compiler says of it may be for want of the rest.
    is_done = made.precompiled || made.build.record.failure != FailureClass::build ||
              lacks_only_punctuation(made.build.record.detail);
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

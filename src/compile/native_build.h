// C and C++ that candidates bring, to the shared library that is run or loaded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"
#include "base/words.h"
#include "model/attempt.h"
#include "run/extension.h"
#include "sandbox/children.h"

namespace assay {

// `compile... -o LIBRARY sources... link...`, in a folder that holds the files and nothing else.
struct NativeJob {
  std::vector<std::string> compile;  // the compiler, and its flags
  std::vector<NamedText> files;
  std::vector<std::string> sources;  // names of files
  std::vector<std::string> link;     // flags
};

// What a build has the compiler look for besides.
enum class SanitizerKind {
  none,
  address,  // reads and writes around what they are meant for
  thread,   // two threads that touch the same without order between them
};
inline constexpr Word<SanitizerKind> kSanitizerWords[] = {{SanitizerKind::none, "none"},
                                                          {SanitizerKind::address, "address"},
                                                          {SanitizerKind::thread, "thread"}};

// Of a candidate that is one file and exports assay_kernel, as include/assay/kernel.h promises.
// `include` is the folder in which that is found.
NativeJob kernel_job(bool is_c, std::string source, const std::string& include,
                     SanitizerKind sanitizer = SanitizerKind::none);
// Of an extension for the host.
NativeJob extension_job(ExtensionRequest request);

struct NativeBuild {
  StageRecord record;  // of the stage compile
  UniqueFd library;    // sealed; with status ok
};

// Blocks. `image` is the native compiler's.
Result<NativeBuild> build_native(const NativeJob& native, const Image& image, const Limits& limits,
                                 Children& children);

}  // namespace assay

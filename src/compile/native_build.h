// Native candidates that come as a source file, to the shared library that is run.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/unique_fd.h"
#include "model/attempt.h"
#include "sandbox/children.h"

namespace assay {

struct NativeSource {
  bool is_c = true;  // else C++
  std::string_view bytes;
};

struct NativeBuild {
  StageRecord record;  // of the stage compile
  UniqueFd library;    // sealed; with status ok
};

// Blocks. `image` is the native compiler's; `include` is the folder in which assay/kernel.h is
// found.
Result<NativeBuild> build_native(const NativeSource& source, const std::string& include,
                                 const Image& image, const Limits& limits, Children& children);

}  // namespace assay

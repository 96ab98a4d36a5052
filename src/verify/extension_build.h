// Building an extension: most of the time goes into torch's headers, so those are precompiled once
// for each set of flags.
#pragma once

#include "run/extension.h"
#include "verify/native_libraries.h"
#include "verify/tools.h"

namespace assay {

struct ExtensionBuild {
  NativeBuild build;
  bool with_headers = false;                // it was built with precompiled ones
  std::optional<StageRecord> headers_made;  // that were made for it, where there were none
};

// Finds or builds. Blocks.
//
// `torch/extension.h` includes all of torch, C++ modules and optimisers with it, and few extensions
// use those. So it is first built with a header of the same name that has what kernels need: tensors,
// their functions, the bindings to Python. Where that does not suffice, and where the precompiled
// one cannot be made, it is built with torch's own; what that says is what the user gets to read.
Result<ExtensionBuild> make_extension(ExtensionRequest request, const VerifyTools& tools,
                                      Children& children, NativeLibraries& libraries);

}  // namespace assay

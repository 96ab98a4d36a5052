// Building an extension: most of the time goes into torch's headers, so those are precompiled once
// for each set of flags.
#pragma once

#include "run/extension.h"
#include "verify/native_libraries.h"
#include "verify/tools.h"

namespace assay {

struct ExtensionBuild {
  NativeBuild build;
  bool precompiled = false;                // it was built with headers that were
  std::optional<StageRecord> header_made;  // that were made for it, where there were none
};

// Finds or builds. Blocks.
//
// `torch/extension.h` includes all of torch, C++ modules and optimisers with it, and few extensions
// use those. So it is first built with a header of the same name that has what kernels need:
// tensors, their functions, the bindings to Python. Where it does not compile so, where its code
// has conditionals of the preprocessor, and where the header cannot be precompiled, it is built
// with torch's own.
Result<ExtensionBuild> make_extension(ExtensionRequest request, const VerifyTools& tools,
                                      Children& children, NativeLibraries& libraries);

}  // namespace assay

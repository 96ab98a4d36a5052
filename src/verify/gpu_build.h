// What candidates bring in CUDA and HIP, compiled by the GPU's maker's compiler.
#pragma once

#include <string>

#include "model/gpu.h"
#include "run/extension.h"
#include "verify/native_libraries.h"
#include "verify/tools.h"

namespace assay {

// A file that exports assay_kernel; an extension. Both find or build, and block. Where this machine
// has no compiler that knows the GPU's architecture, or not what torch's own headers for it
// include, the record says so and is not judged.
Result<NativeBuild> make_for_gpu(const Gpu& gpu, const std::string& source,
                                 const VerifyTools& tools, Children& children,
                                 NativeLibraries& libraries);
Result<NativeBuild> make_for_gpu(const Gpu& gpu, const ExtensionRequest& request,
                                 const VerifyTools& tools, Children& children,
                                 NativeLibraries& libraries);

}  // namespace assay

// Libraries made of what candidates bring as C and C++: what was built before need not be again.
#pragma once

#include <optional>

#include "compile/native_build.h"
#include "verify/tools.h"

namespace assay {

class NativeLibraries {
 public:
  virtual ~NativeLibraries() = default;
  // What exactly this job made before, with `reused` set and the reason; with why not, `why_not`
  // is filled. From any thread.
  virtual std::optional<NativeBuild> find(const NativeJob& job, std::string& why_not) = 0;
  virtual Status keep(const NativeJob& job, const NativeBuild& build) = 0;

  // The folder in which torch/extension.h is what this job has precompiled; "": there is none.
  virtual std::string find_header(const NativeJob& job) = 0;
  // Returns its folder. It may take the place of another: each has half a gigabyte.
  virtual Result<std::string> keep_header(const NativeJob& job, const UniqueFd& precompiled) = 0;
};

// Finds or builds. Blocks. What fails is a record, and is not kept: it may have been the machine's.
Result<NativeBuild> make_library(const NativeJob& job, const VerifyTools& tools, Children& children,
                                 NativeLibraries& libraries);

}  // namespace assay

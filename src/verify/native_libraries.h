// Libraries made of what candidates bring as C and C++: what was built before need not be again.
#pragma once

#include <optional>

#include "base/shared_folders.h"
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

  // The folder in which torch/extension.h is what this job has precompiled. It stays as long as
  // what is returned does.
  virtual FolderInUse find_header(const NativeJob& job) = 0;
  // The same. It may take the place of another: each has half a gigabyte.
  virtual Result<FolderInUse> keep_header(const NativeJob& job, const UniqueFd& precompiled) = 0;
};

// Finds or builds. Blocks. What fails is a record, and is not kept: it may have been the machine's.
Result<NativeBuild> make_library(const NativeJob& job, const VerifyTools& tools, Children& children,
                                 NativeLibraries& libraries);

}  // namespace assay

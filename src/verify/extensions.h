// The C++ extensions of one candidate: built when it asks for them, and given to each of its
// processes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "compile/compile_job.h"
#include "model/gpu.h"
#include "run/extension.h"
#include "sandbox/children.h"
#include "verify/extension_build.h"
#include "verify/native_libraries.h"
#include "verify/oracle.h"
#include "verify/tools.h"
#include "verify/verify.h"

namespace assay {

class Extensions {
 public:
  // Of a candidate that is compiled for a GPU, what is built for that is not loaded; on a card it
  // is.
  Extensions(const VerifyTools& tools, Children& children, NativeLibraries& libraries,
             const VerifyJob& job)
      : tools_(tools),
        children_(children),
        libraries_(libraries),
        gpu_(job.on_card ? std::optional(tools.card->gpu) : job.gpu),
        is_loaded_(job.on_card) {}

  // Builds one more. A finding where that fails: it ends the verification.
  Step<void> build(const ExtensionRequest& request);

  // Of all so far, in the same order: what the candidate asks for them by, and their libraries.
  const std::vector<std::string>& digests() const { return digests_; }
  std::vector<int> descriptors() const;
  // Of those for the GPU, what the candidate asks for them by; and themselves.
  const std::vector<std::string>& stand_ins() const { return stand_ins_; }
  std::vector<CompiledFile> take_gpu_libraries() { return std::move(gpu_libraries_); }
  // The stage compile, of all of them; nothing where there are none.
  const std::optional<StageRecord>& builds() const { return builds_; }
  // What build() took, of the caller's time.
  int64_t wall_ns() const { return wall_ns_; }

 private:
  StageRecord for_another_device(const ExtensionRequest& request) const;
  Step<ExtensionBuild> make(const ExtensionRequest& request);
  Step<void> keep(const ExtensionRequest& request, UniqueFd library);

  const VerifyTools& tools_;
  Children& children_;
  NativeLibraries& libraries_;
  const std::optional<Gpu> gpu_;
  const bool is_loaded_;
  std::vector<std::string> stand_ins_;
  std::vector<CompiledFile> gpu_libraries_;
  std::vector<std::string> digests_;
  std::vector<UniqueFd> files_;
  std::optional<StageRecord> builds_;
  int64_t wall_ns_ = 0;
};

}  // namespace assay

#include "verify/verify.h"

#include "verify/oracle.h"
#include "verify/verify_gpu.h"
#include "verify/verify_problem.h"
#include "verify/verify_suite.h"

namespace assay {
namespace {

// What one process has left may have other numbers in it than the next one's model: nothing is said
// against it before each has compiled its own.
bool is_doubtful(const Verified& verified) {
  return verified.shares && verified.stages.back().status != StageStatus::ok;
}

}  // namespace

Result<Verified> verify(const VerifyJob& job, const VerifyTools& tools, Children& children,
                        MemoryGate& memory, NativeLibraries& libraries,
                        std::optional<Oracle>* keep) {
  if (job.tests) return verify_suite(job, tools, children, memory);
  if (job.gpu) return verify_gpu(job, tools, children, memory, libraries);
  ASSAY_ASSIGN(Verified verified, verify_problem(job, tools, children, memory, libraries, keep));
  if (!is_doubtful(verified)) return verified;
  VerifyJob again = job;
  again.compiles_each = true;
  return verify_problem(again, tools, children, memory, libraries, keep);
}

}  // namespace assay

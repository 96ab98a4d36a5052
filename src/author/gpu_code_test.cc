#include "author/gpu_code.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(GpuCode, IsSeenInWhatStandsThere) {
  struct Case {
    CandidateKind kind;
    const char* code;
    bool for_cuda, for_hip;
  };
  const Case cases[] = {
      {CandidateKind::module, "import torch\nimport triton\n", true, true},
      {CandidateKind::module, "from triton import language as tl\n", true, true},
      {CandidateKind::module, "import torch, triton, triton.language as tl\n", true, true},
      {CandidateKind::module, "  import triton", true, true},
      {CandidateKind::module, "# import triton\nimport torch\n", false, false},
      {CandidateKind::module, "load_inline(name='x', cuda_sources=source)\n", true, false},
      {CandidateKind::module, "load(name='x', sources=['k.cu'])\n", true, false},
      {CandidateKind::module, "load_inline(name='x', cpp_sources=source)\n", false, false},
      {CandidateKind::module, "x = torch.relu(x).cuda()\n", false, false},
      {CandidateKind::cuda_source, "", true, false},
      {CandidateKind::hip_source, "", false, true},
      {CandidateKind::cc_source, "import triton", false, false},
      {CandidateKind::library, "import triton", false, false},
  };
  for (const Case& each : cases) {
    const GpuCode code = gpu_code_of(each.kind, each.code);
    EXPECT_EQ(code.is_for(GpuKind::cuda), each.for_cuda) << each.code;
    EXPECT_EQ(code.is_for(GpuKind::hip), each.for_hip) << each.code;
  }
}

}  // namespace
}  // namespace assay

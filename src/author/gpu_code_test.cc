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

TEST(GpuCode, NarrowTypesAreThoseThatTheInterpreterCannotJudge) {
  EXPECT_TRUE(names_narrow_types("x.to(tl.bfloat16)"));
  EXPECT_TRUE(names_narrow_types("torch.float8_e4m3fn"));
  EXPECT_TRUE(names_narrow_types("dtype = 'FP8'"));
  EXPECT_FALSE(names_narrow_types("x.to(tl.float16)"));
}

}  // namespace
}  // namespace assay

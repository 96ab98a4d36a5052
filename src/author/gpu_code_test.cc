#include "author/gpu_code.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(GpuCode, IsSeenInWhatStandsThere) {
  struct Case {
    const Form* form;
    const char* code;
    bool for_cuda, for_hip;
  };
  const Case cases[] = {
      {&python_form(), "import torch\nimport triton\n", true, true},
      {&python_form(), "from triton import language as tl\n", true, true},
      {&python_form(), "import torch, triton, triton.language as tl\n", true, true},
      {&python_form(), "  import triton", true, true},
      {&python_form(), "# import triton\nimport torch\n", false, false},
      {&python_form(), "load_inline(name='x', cuda_sources=source)\n", true, true},
      {&python_form(), "load(name='x', sources=['k.cu'])\n", true, true},
      {&python_form(), "load_inline(name='x', cpp_sources=source)\n", false, false},
      {&python_form(), "x = torch.relu(x).cuda()\n", false, false},
      {form_of_language("cuda"), "", true, false},
      {form_of_language("hip"), "", false, true},
      {&cpp_form(), "import triton", false, false},
      {form_of_ending(".so"), "import triton", false, false},
  };
  for (const Case& each : cases) {
    const GpuCode code = gpu_code_of(*each.form, each.code);
    EXPECT_EQ(code.is_for(GpuKind::cuda), each.for_cuda) << each.code;
    EXPECT_EQ(code.is_for(GpuKind::hip), each.for_hip) << each.code;
  }
}

}  // namespace
}  // namespace assay

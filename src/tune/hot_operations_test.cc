#include "tune/hot_operations.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

CallPart part(const std::string& name, double ns, double per_call = 1) {
  return {.name = name, .per_call = per_call, .median_ns = ns};
}

TEST(HotOperations, AreWhatTakesMostOfACall) {
  CallParts call{.by = "it", .call_ns = 1000};
  call.parts = {part("main_dispatch_7_softmax_8x8xf32", 300),
                part("main_dispatch_0_matmul_64x32x16_f32", 60, 3),
                part("main_dispatch_4_matmul_like_4x8x8x8_f16xf16xf32", 200),
                part("main_dispatch_5_matmul_64x32x16_f32", 40),
                part("main_dispatch_6_matmul_2x2x2_f32", 30),
                part("main_dispatch_8_matmul_Dx2x2_f32", 100)};
  const auto hot = hot_operations(call);
  ASSERT_EQ(hot.size(), 2u) << "one hardly counts, one has a size that is open";
  EXPECT_EQ(hot[0].sizes, "64x32x16") << "both of this size together";
  EXPECT_EQ(hot[0].type, "f32");
  EXPECT_EQ(hot[1].sizes, "4x8x8x8");
  EXPECT_EQ(hot[1].type, "f16");
}

// As the compiler calls them in a program with its channels first; of one image it drops that loop.
TEST(HotOperations, AConvolutionIsListedAsConfigurationsAre) {
  CallParts call{.by = "it", .call_ns = 1000};
  call.parts = {part("main$async_dispatch_1_conv_2x64x56x55x32x3x5_f32", 500),
                part("main$async_dispatch_3_conv_64xDx55x32x3x5_f32", 100),
                part("main$async_dispatch_4_conv_64x55x32x3_f32", 100)};
  auto hot = hot_operations(call);
  ASSERT_EQ(hot.size(), 1u) << "one has a size that is open, one has one dimension";
  EXPECT_EQ(hot[0].sizes, "2x56x55x64x3x5x32");
  EXPECT_EQ(hot[0].type, "f32");
  call.parts[0].name = "main$async_dispatch_2_conv_64x56x55x32x3x5_f16xf16xf32";
  hot = hot_operations(call);
  ASSERT_EQ(hot.size(), 1u);
  EXPECT_EQ(hot[0].sizes, "1x56x55x64x3x5x32");
  EXPECT_EQ(hot[0].type, "f16");
}

TEST(HotOperations, WhereConvolutionsHaveImagesAPoolingIsNone) {
  CallParts call{.by = "it", .call_ns = 1000};
  call.parts = {part("main$async_dispatch_1_conv_32x64x28x28x32x3x3_f32", 300),
                part("main$async_dispatch_2_conv_32x32x28x28x3x3_f32", 300),
                part("small_conv_net_dispatch_3_matmul_64x32x16_f32", 200),
                part("small_conv_net_dispatch_4_reduction_64x32_f32", 200)};
  const auto hot = hot_operations(call);
  ASSERT_EQ(hot.size(), 2u);
  EXPECT_EQ(hot[0].sizes, "32x28x28x64x3x3x32");
  EXPECT_EQ(hot[1].sizes, "64x32x16") << "whatever the function is called";
}

}  // namespace
}  // namespace assay

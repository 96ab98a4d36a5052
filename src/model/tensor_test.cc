#include "model/tensor.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Tensor, JsonRoundTrips) {
  for (const TensorSpec& spec :
       {TensorSpec{Dtype::f32, {2, 3}, {}}, TensorSpec{Dtype::bf16, {}, {}},
        TensorSpec{Dtype::i64, {4, 5}, {1, 4}}, TensorSpec{Dtype::boolean, {0, 7}, {}}}) {
    auto read = tensor_from_json(to_json(spec));
    ASSERT_TRUE(read) << read.error().describe();
    EXPECT_EQ(*read, spec);
  }
}

TEST(Tensor, SaysWhatItsMemoryMustHold) {
  EXPECT_EQ((TensorSpec{Dtype::f32, {}, {}}.span_bytes()), 4u);
  EXPECT_EQ((TensorSpec{Dtype::f32, {2, 3}, {}}.span_bytes()), 24u);
  EXPECT_EQ((TensorSpec{Dtype::f32, {2, 3}, {1, 2}}.span_bytes()), 24u);
  EXPECT_EQ((TensorSpec{Dtype::f16, {2, 3}, {10, 2}}.span_bytes()), 30u);
  EXPECT_EQ((TensorSpec{Dtype::f64, {1000, 3}, {0, 1}}.span_bytes()), 24u) << "expanded";
  EXPECT_EQ((TensorSpec{Dtype::f64, {5, 0}, {}}.span_bytes()), 0u);
  EXPECT_TRUE((TensorSpec{Dtype::f64, {1, 3}, {77, 1}}.is_dense())) << "a size of 1 has no stride";
}

TEST(Tensor, WhatCannotBeIsRefused) {
  for (const char* text :
       {R"({"dtype": "f32"})", R"({"dtype": "f31", "shape": [1]})",
        R"({"dtype": "f32", "shape": [-1]})", R"({"dtype": "f32", "shape": [1.5]})",
        R"({"dtype": "f32", "shape": 3})", R"({"dtype": "f32", "shape": [1,1,1,1,1,1,1,1,1]})",
        R"({"dtype": "f32", "shape": [2], "strides": [-1]})",
        R"({"dtype": "f32", "shape": [2, 2], "strides": [1]})",
        R"({"dtype": "f32", "shape": [4294967296, 4294967296, 4294967296]})",
        R"({"dtype": "f32", "shape": [2], "strides": [9223372036854775807]})",
        R"({"dtype": "f32", "shape": [0, 4294967296, 4294967296, 4294967296]})", "[]", "3"}) {
    EXPECT_FALSE(tensor_from_json(*parse_json(text, "a test"))) << text;
  }
}

TEST(Tensor, RoundoffIsHalfAStepAtOne) {
  EXPECT_EQ(unit_roundoff(Dtype::f32), 0x1p-24);
  EXPECT_EQ(unit_roundoff(Dtype::f64), 0x1p-53);
  EXPECT_EQ(unit_roundoff(Dtype::f16), 0x1p-11);
  EXPECT_EQ(unit_roundoff(Dtype::bf16), 0x1p-8);
  EXPECT_EQ(unit_roundoff(Dtype::i32), 0);
}

}  // namespace
}  // namespace assay

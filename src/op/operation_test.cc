#include "op/operation.h"

#include <gtest/gtest.h>

#include "op/expand.h"

namespace assay {
namespace {

OpProgram program(const std::string& text) {
  auto all = expand_op(text);
  EXPECT_TRUE(all);
  auto made = all->front().operation->make(all->front().arguments);
  EXPECT_TRUE(made);
  return *made;
}

// Whoever adds an operation gets these checks for nothing.
TEST(Operation, EachHasWhatTheOthersHave) {
  for (const Operation& operation : operations()) {
    OpProgram made = program("op:" + std::string(operation.name));
    EXPECT_FALSE(made.inputs.empty());
    EXPECT_FALSE(made.outputs.empty());
    EXPECT_GT(made.flops, 0) << operation.name;
    EXPECT_NE(made.mlir.find("func.func @main("), std::string::npos);
    for (const char* piece :
         {"class Model(nn.Module)", "def get_inputs()", "def get_init_inputs()"})
      EXPECT_NE(made.python.find(piece), std::string::npos) << operation.name;
    for (const OpKey& key : operation.keys) {
      EXPECT_FALSE(key.title.empty());
      EXPECT_FALSE(key.otherwise.empty());
    }
  }
}

TEST(Operation, MatmulLiesAsItsLayoutSays) {
  OpProgram made = program("op:matmul[m=3,n=5,k=7,layout=tn,dtype=i8]");
  EXPECT_EQ(made.inputs[0], (TensorSpec{Dtype::i8, {7, 3}, {}}));
  EXPECT_EQ(made.inputs[1], (TensorSpec{Dtype::i8, {7, 5}, {}}));
  EXPECT_EQ(made.outputs[0], (TensorSpec{Dtype::i32, {3, 5}, {}}));
  EXPECT_EQ(made.product, (ProductShape{3, 5, 7, Layout::tn, Dtype::i8, Dtype::i32}));
  EXPECT_EQ(made.flops, 210);
  EXPECT_NE(made.python.find("torch._int_mm(a.mT, b)"), std::string::npos) << made.python;
  EXPECT_NE(made.mlir.find("affine_map<(i, j, k) -> (k, i)>"), std::string::npos);
}

}  // namespace
}  // namespace assay

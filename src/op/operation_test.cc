#include "op/operation.h"

#include <gtest/gtest.h>

#include "op/expand.h"

namespace assay {
namespace {

OpProgram program(const std::string& text) {
  auto all = expand_op(text);
  EXPECT_TRUE(all);
  return make_program(*all->front().operation, all->front().arguments);
}

// Whoever adds an operation gets these checks for nothing.
TEST(Operation, EachHasWhatTheOthersHave) {
  for (const Operation& operation : operations()) {
    OpProgram made = program("op:" + std::string(operation.name));
    EXPECT_FALSE(made.inputs.empty());
    EXPECT_FALSE(made.outputs.empty());
    EXPECT_GE(made.flops, 0) << operation.name;
    EXPECT_TRUE(made.mlir.empty() || made.mlir.contains("func.func @main(")) << operation.name;
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
  EXPECT_FALSE(program("op:matmul[dtype=f16*f16->f32]").product) << "of two types: sums";
  EXPECT_NE(made.python.find("torch._int_mm(a.mT, b)"), std::string::npos) << made.python;
  EXPECT_NE(made.mlir.find("affine_map<(i, j, k) -> (k, i)>"), std::string::npos);
}

// How far each step of a loop goes in the inputs.
TEST(Operation, SumsGoThroughTheirInputs) {
  using Loops = std::vector<SumLoop>;
  auto has = [](const char* text, const Loops& over, const Loops& summed) {
    const OpProgram made = program(text);
    ASSERT_TRUE(made.sum) << text;
    EXPECT_EQ(made.sum->over, over) << text;
    EXPECT_EQ(made.sum->summed, summed) << text;
    EXPECT_EQ(made.sum->a, made.inputs[0].shape) << text;
    EXPECT_EQ(made.sum->b, made.inputs.size() > 1 ? made.inputs[1].shape : std::vector<int64_t>{});
    EXPECT_EQ(made.sum->dtype, made.inputs[0].dtype) << text;
    EXPECT_EQ(made.sum->result, made.outputs[0].dtype) << text;
    EXPECT_EQ(made.sum->is_mean, made.python.contains("mean(") || made.python.contains("avg"));
    ASSERT_EQ(made.outputs[0].shape.size(), over.size()) << text;
    for (size_t i = 0; i < over.size(); ++i) EXPECT_EQ(made.outputs[0].shape[i], over[i].size);
  };
  has("op:batch_matmul[b=2,m=3,n=5,k=7]", {{2, 21, 35}, {3, 7, 0}, {5, 0, 1}}, {{7, 1, 5}});
  has("op:batch_matmul[b=2,m=3,n=5,k=7,layout=tt]", {{2, 21, 35}, {3, 1, 0}, {5, 0, 7}},
      {{7, 3, 1}});
  has("op:matmul[m=3,n=5,k=7,dtype=f16*f16->f32]", {{3, 7, 0}, {5, 0, 1}}, {{7, 1, 5}});
  has("op:matvec[m=3,k=7]", {{3, 7, 0}}, {{7, 1, 1}});
  has("op:matvec[m=3,k=7,layout=t,dtype=f16*f16->f32]", {{3, 1, 0}}, {{7, 3, 1}});
  has("op:reduction[rows=3,columns=7]", {{3, 7, 0}}, {{7, 1, 0}});
  has("op:reduction[rows=3,columns=7,of=columns,take=mean]", {{7, 1, 0}}, {{3, 7, 0}});
  has("op:pooling[n=2,c=3,h=6,w=8,window=2,stride=3,take=mean]",
      {{2, 144, 0}, {3, 48, 0}, {2, 24, 0}, {3, 3, 0}}, {{2, 8, 0}, {2, 1, 0}});
  for (const char* text :
       {"op:matmul", "op:batch_matmul[accumulate=yes]", "op:reduction[take=max]", "op:pooling",
        "op:pooling[take=mean,window=3,padding=1]", "op:conv2d", "op:scan"})
    EXPECT_FALSE(program(text).sum) << text;
}

TEST(Operation, ConvolutionsHaveTheSizesOfTorch) {
  OpProgram made = program(
      "op:conv2d[n=2,c=6,f=4,h=11,w=9,kh=3,kw=2,sh=2,ph=1,pw=0,dh=2,dw=1,groups=2,dtype=f16]");
  EXPECT_EQ(made.inputs[0].shape, (std::vector<int64_t>{2, 11, 9, 6}));
  EXPECT_EQ(made.inputs[1].shape, (std::vector<int64_t>{3, 2, 3, 4}));
  EXPECT_EQ(made.outputs[0].shape, (std::vector<int64_t>{2, 5, 4, 4}));
  EXPECT_EQ(made.flops, 2.0 * (2 * 5 * 4 * 4) * (3 * 2 * 3));
  made = program("op:conv3d[c=2,f=3,d=4,h=5,w=6,kd=1,kh=2,kw=3,layout=ncdhw_fcdhw]");
  EXPECT_EQ(made.inputs[1].shape, (std::vector<int64_t>{3, 2, 1, 2, 3}));
  EXPECT_EQ(made.outputs[0].shape, (std::vector<int64_t>{1, 3, 4, 4, 4}));
}

TEST(Operation, ProgramsLeaveSizesOpenThatAreDynamic) {
  OpProgram made = program("op:matmul[m=3,n=5,k=7,layout=tn,dtype=f16,dynamic=m]");
  EXPECT_TRUE(made.mlir.contains("(%in0: tensor<7x?xf16>, %in1: tensor<7x5xf16>)")) << made.mlir;
  EXPECT_TRUE(made.mlir.contains("-> tensor<?x5xf16> {")) << made.mlir;
  EXPECT_TRUE(made.python.contains("def get_dynamic_sizes():\n    return [[1], []]\n"));
  EXPECT_EQ(made.inputs[0].shape, (std::vector<int64_t>{7, 3})) << "as it is called";
  made = program("op:conv2d[c=4,f=6,groups=2,sh=2,ph=1,dtype=f16,dynamic=all]");
  EXPECT_TRUE(made.mlir.contains("%in0: tensor<?x?x?x?xf16>")) << made.mlir;
  EXPECT_TRUE(made.mlir.contains("floordiv 2 + 1")) << made.mlir;
  made = program("op:softmax[dynamic=rows]");
  EXPECT_EQ(made.mlir, "") << "the exporter makes it";
  EXPECT_TRUE(made.python.contains("return [[0]]"));
  EXPECT_FALSE(program("op:softmax").python.contains("get_dynamic_sizes"));
}

// Each kind can be asked for with any of its sizes open, or with all.
TEST(Operation, EachHasDynamicSizes) {
  for (const Operation& operation : operations()) {
    const OpKey& key = operation.keys.back();
    ASSERT_EQ(key.name, "dynamic");
    size_t any = 0;
    for (const std::string_view word : key.words) {
      auto all =
          expand_op("op:" + std::string(operation.name) + "[dynamic=" + std::string(word) + "]");
      any += all && word != "no" ? 1 : 0;
      if (!all) EXPECT_TRUE(all.error().message.contains("dynamic=")) << all.error().describe();
    }
    EXPECT_GE(any, 2u) << operation.name;
  }
}

TEST(Operation, ASizeThatNoInputHasIsNotDynamic) {
  auto made = expand_op("op:matmul_splitk[dynamic=slices]");
  ASSERT_FALSE(made);
  EXPECT_TRUE(made.error().message.contains("no input has that size")) << made.error().describe();
  EXPECT_FALSE(expand_op("op:matmul[dynamic=o]"));
}

}  // namespace
}  // namespace assay

#include "verify/chunks.h"

#include <gtest/gtest.h>

#include "verify/memory_need.h"

namespace assay {
namespace {

Leaf leaf(std::vector<int64_t> shape, std::vector<int64_t> strides = {}) {
  Leaf made;
  made.tensor = TensorSpec{Dtype::f32, std::move(shape), std::move(strides)};
  return made;
}

// (rows, 6) and (6, 5) to (3 * rows, 2); 10 rows, 4 at a time.
ProblemDescription problem() {
  ProblemDescription made;
  made.inputs = {leaf({10, 6}), leaf({6, 5})};
  made.outputs = {leaf({30, 2})};
  return made;
}
ChunkPlan plan() { return {.rows = 4, .of = 10, .inputs = {0}, .groups = {3}}; }

TEST(Chunks, CoverAllRowsInOrder) {
  std::vector<Chunk> chunks = chunks_of(plan());
  ASSERT_EQ(chunks.size(), 3u);
  int64_t next = 0;
  for (const Chunk& chunk : chunks) {
    EXPECT_EQ(chunk.first, next);
    next += chunk.rows;
  }
  EXPECT_EQ(next, 10);
  EXPECT_EQ(chunks[2].rows, 2);
}

TEST(Chunks, APartHasFewerRowsWhereThereAreRows) {
  ProblemDescription part = part_of(problem(), plan(), 2);
  EXPECT_EQ(part.inputs[0].tensor->shape, (std::vector<int64_t>{2, 6}));
  EXPECT_EQ(part.inputs[1].tensor->shape, (std::vector<int64_t>{6, 5}));
  EXPECT_EQ(part.outputs[0].tensor->shape, (std::vector<int64_t>{6, 2}));
}

TEST(Chunks, InputsAreFoundInTheMemoryOfTheWhole) {
  Json layout =
      Json::parse(R"([{"shape": [10, 6], "offset": 64}, {"shape": [6, 5], "offset": 9}])");
  Json part = inputs_of(layout, problem(), plan(), {4, 4});
  EXPECT_EQ(part[0]["shape"], Json::parse("[4, 6]"));
  EXPECT_EQ(part[0]["offset"], 64 + 4 * 6 * 4);
  EXPECT_EQ(part[1], layout[1]);
  ProblemDescription strided = problem();
  strided.inputs[0] = leaf({10, 6}, {1, 10});
  EXPECT_EQ(inputs_of(layout, strided, plan(), {4, 4})[0]["offset"], 64 + 4 * 4);
}

TEST(Chunks, OutputsLieOneBehindTheOther) {
  const TensorSpec output = *problem().outputs[0].tensor;
  uint64_t next = 0;
  for (const Chunk& chunk : chunks_of(plan())) {
    ElementRange range = elements_of(output, 3, chunk);
    EXPECT_EQ(range.first, next);
    next += range.count;
  }
  EXPECT_EQ(next, output.elements());
}

TEST(MemoryNeed, IsLessInChunks) {
  ProblemDescription large;
  large.inputs = {leaf({1000, 250'000})};  // 1 GB
  large.inputs[0].draw = Draw{};
  large.outputs = {leaf({1000, 250'000})};
  large.input_bytes = large.output_bytes = large.forward_bytes = 1'000'000'000;
  large.double_bytes = 4'000'000'000;
  ChunkPlan few{.rows = 10, .of = 1000, .inputs = {0}, .groups = {1}};
  few.forward_bytes = 10'000'000;
  few.double_bytes = 40'000'000;
  MemoryNeed whole = memory_need(large, python_form(), nullptr);
  MemoryNeed chunked = memory_need(large, python_form(), &few);
  // Inputs and outputs, and what the candidate returns.
  EXPECT_GE(chunked.all_bytes, 3'000'000'000u);
  EXPECT_LT(chunked.all_bytes, 3'500'000'000u);
  // Besides eager's result, and in double inputs, a result, and the result again for the judge.
  EXPECT_GE(whole.all_bytes, 10'000'000'000u);
  EXPECT_LT(chunked.oracle_bytes, whole.oracle_bytes);
  EXPECT_GT(memory_need(large, artifact_form(), &few).all_bytes, chunked.all_bytes);
  // What get_inputs() computes is there as it draws it, and as a family has it.
  large.inputs[0].draw.reset();
  EXPECT_GE(memory_need(large, python_form(), &few).oracle_bytes, 6'000'000'000u);
}

TEST(MemoryNeed, CompilersOfTheModelHoldItsWeightsMoreThanOnce) {
  ProblemDescription network;
  network.inputs = {leaf({10, 10})};
  network.outputs = {leaf({10, 10})};
  network.state_bytes = network.double_bytes = 1'000'000'000;
  network.forward_bytes = 1000;
  auto need = [&](OwnModel own) { return memory_need(network, python_form(), nullptr, own); };
  const uint64_t once = need(OwnModel::as_it_is).all_bytes;
  EXPECT_EQ(need(OwnModel::as_it_is).model_bytes, 1'000'001'000u);
  EXPECT_EQ(need(OwnModel::none).all_bytes, once);
  EXPECT_EQ(need(OwnModel::none).model_bytes, 0u) << "of its code nothing is known";
  EXPECT_EQ(need(OwnModel::inductor).model_bytes, 0u);
  EXPECT_EQ(need(OwnModel::xla).all_bytes, once + 1'000'000'000u);
  EXPECT_EQ(need(OwnModel::onnxruntime).model_bytes, 4'000'001'000u);
}

TEST(MemoryNeed, ToCompileIsWithoutTheReference) {
  ProblemDescription large;
  large.inputs = {leaf({1000, 250'000})};  // 1 GB
  large.outputs = {leaf({1000, 250'000})};
  large.state_bytes = 1'000'000;
  large.forward_bytes = 2'000'000'000;
  large.double_bytes = 20'000'000'000;
  const MemoryNeed need = memory_to_compile(large, python_form());
  EXPECT_LT(need.oracle_bytes, 10'000'000u);
  // Inputs, what is returned, and what a call makes on its way.
  EXPECT_GE(need.all_bytes, 4'000'000'000u);
  EXPECT_LT(need.all_bytes, 5'000'000'000u);
  EXPECT_EQ(model_bytes(large, OwnModel::as_it_is), 2'001'000'000u);
}

}  // namespace
}  // namespace assay

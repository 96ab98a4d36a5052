// What profilers list of generated operations: that names and columns say the same.
#include "workload/operation_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

OperationFacts facts_at(const std::string& text) {
  auto all = expand_op(text);
  EXPECT_TRUE(all) << text;
  const OpWorkload& workload = all->front();
  return facts_of(workload, make_program(*workload.operation, workload.arguments));
}

TEST(OperationFacts, TheNameOfAProductHasItsTensors) {
  for (const std::string kind :
       {"matmul[m=2,n=3,k=4", "batch_matmul[b=5,m=2,n=3,k=4", "matmul_splitk[m=2,n=3,k=4,slices=2"})
    for (const std::string layout : {"nn", "nt", "tn", "tt"})
      for (const char* type : {"f32", "f16*f16->f32", "i8"}) {
        const std::string text = fmt::format("op:{},layout={},dtype={}]", kind, layout, type);
        const OperationFacts facts = facts_at(text);
        ASSERT_EQ(facts.tensors.size(), 3u) << text;
        EXPECT_TRUE(facts.name.ends_with(fmt::format("_{}", fmt::join(facts.tensors, "_"))))
            << text << ": " << facts.name;
        EXPECT_EQ(facts.tensors[0].back(), layout[0] == 't' ? 'n' : 't') << text;
        EXPECT_EQ(facts.tensors[1].back(), layout[1] == 't' ? 'n' : 't') << text;
        EXPECT_EQ(facts.tensors[2].back(), 't') << text;
      }
}

TEST(OperationFacts, ProductsThatTheProfilerHadNotAreNamedByTheSameRule) {
  EXPECT_EQ(facts_at("op:matvec[m=2,k=3,layout=t]").name, "matvec_2x3_f32n_f32t_f32t");
  EXPECT_EQ(facts_at("op:matvec[m=2,k=3]").name, "matvec_2x3_f32t_f32t_f32t");
  EXPECT_EQ(facts_at("op:matmul[m=2,n=3,k=4,layout=nt,accumulate=yes]").name,
            "matmul_2x3x4_f32t_f32n_f32t_f32t_accumulate");
  EXPECT_EQ(facts_at("op:batch_matmul[b=5,m=2,n=3,k=4,layout=tn,accumulate=yes]").name,
            "batch_matmul_5x2x3x4_f32n_f32t_f32t_f32t_accumulate");
  EXPECT_EQ(facts_at("op:matmul[m=2,n=3,k=4,layout=tn,dynamic=m]").name,
            "matmul_2x3x4_f32n_f32t_f32t_dynamicm");
}

TEST(OperationFacts, AnotherLayoutIsAWordOfTheName) {
  EXPECT_TRUE(facts_at("op:conv2d[layout=nchw_fchw]").name.ends_with("_f32t_f32t_f32t_nchw_fchw"))
      << facts_at("op:conv2d[layout=nchw_fchw]").name;
}

TEST(OperationFacts, BytesAreWhatACallHasToMove) {
  EXPECT_EQ(facts_at("op:matmul[m=2,n=3,k=5]").bytes, (2u * 5 + 5 * 3 + 2 * 3) * 4);
  // Of a large table the rows that are taken, and of a small one no more than there are.
  EXPECT_EQ(facts_at("op:gather[rows=2^20,columns=8,count=4,dtype=f16]").bytes,
            (4u + 4) * 8 * 2 + 4 * 8);
  EXPECT_EQ(facts_at("op:gather[rows=2,columns=8,count=100]").bytes, (2u + 100) * 8 * 4 + 100 * 8);
  EXPECT_EQ(facts_at("op:gather[rows=1,columns=8,count=3]").bytes, (1u + 3) * 8 * 4 + 3 * 8);
  // 1024 (1 - (1 - 1/1024)^512): some are named twice.
  EXPECT_EQ(facts_at("op:gather[rows=1024,columns=1,count=512]").bytes, (403u + 512) * 4 + 512 * 8);
  // All sums are written.
  EXPECT_EQ(facts_at("op:scatter[rows=1024,columns=8,count=4]").bytes, (1024u + 4) * 8 * 4 + 4 * 8);
}

}  // namespace
}  // namespace assay

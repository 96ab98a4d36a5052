#include "workload/operation_facts.h"

#include <gtest/gtest.h>

#include "op/expand.h"

namespace assay {
namespace {

uint64_t bytes_of_operation(const std::string& text) {
  const auto all = expand_op(text);
  EXPECT_TRUE(all) << all.error().describe();
  const OpWorkload& workload = all->front();
  return facts_of(workload, make_program(*workload.operation, workload.arguments)).bytes;
}

TEST(OperationFacts, BytesAreWhatACallHasToMove) {
  EXPECT_EQ(bytes_of_operation("op:matmul[m=2,n=3,k=5]"), (2u * 5 + 5 * 3 + 2 * 3) * 4);
  // Of a large table the rows that are taken, and of a small one no more than there are.
  EXPECT_EQ(bytes_of_operation("op:gather[rows=2^20,columns=8,count=4,dtype=f16]"),
            (4u + 4) * 8 * 2 + 4 * 8);
  EXPECT_EQ(bytes_of_operation("op:gather[rows=2,columns=8,count=100]"),
            (2u + 100) * 8 * 4 + 100 * 8);
  EXPECT_EQ(bytes_of_operation("op:gather[rows=1,columns=8,count=3]"), (1u + 3) * 8 * 4 + 3 * 8);
  // 1024 (1 - (1 - 1/1024)^512): some are named twice.
  EXPECT_EQ(bytes_of_operation("op:gather[rows=1024,columns=1,count=512]"),
            (403u + 512) * 4 + 512 * 8);
  // All sums are written.
  EXPECT_EQ(bytes_of_operation("op:scatter[rows=1024,columns=8,count=4]"),
            (1024u + 4) * 8 * 4 + 4 * 8);
}

}  // namespace
}  // namespace assay

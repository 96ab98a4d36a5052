#include "op/expand.h"

#include <gtest/gtest.h>

#include <set>

namespace assay {
namespace {

std::vector<int64_t> sizes(const std::string& values) {
  auto all = expand_op("op:matmul[m=" + values + "]");
  EXPECT_TRUE(all) << all.error().describe();
  std::vector<int64_t> found;
  if (all)
    for (const OpWorkload& workload : *all) found.push_back(workload.arguments.number("m"));
  return found;
}

std::string problem(const std::string& text) {
  auto all = expand_op(text);
  EXPECT_FALSE(all) << text;
  return all ? "" : all.error().message;
}

using Sizes = std::vector<int64_t>;

TEST(ExpandOp, ListsRangesAndPowers) {
  EXPECT_EQ(sizes("64|97|128"), (Sizes{64, 97, 128}));
  EXPECT_EQ(sizes("3:6"), (Sizes{3, 4, 5, 6}));
  EXPECT_EQ(sizes("64:128:32"), (Sizes{64, 96, 128}));
  EXPECT_EQ(sizes("1:10:4"), (Sizes{1, 5, 9}));
  EXPECT_EQ(sizes("2^6:2^10"), (Sizes{64, 128, 256, 512, 1024}));
  EXPECT_EQ(sizes("2^6:2^10:2"), (Sizes{64, 256, 1024}));
  EXPECT_EQ(sizes("3^0:3^3"), (Sizes{1, 3, 9, 27}));
  EXPECT_EQ(sizes("2^5|32|31:33"), (Sizes{32, 31, 33})) << "each once";
  EXPECT_EQ(sizes("7:7"), (Sizes{7}));
}

TEST(ExpandOp, CombinationsInTheOrderOfTheKeys) {
  auto all = expand_op("op:matmul[dtype=f32|f16,n=1|2,m=5]");
  ASSERT_TRUE(all);
  std::vector<std::string> names;
  for (const OpWorkload& workload : *all) names.push_back(workload.name());
  EXPECT_EQ(names,
            (std::vector<std::string>{"matmul_m5_n1_k256_f32_nn", "matmul_m5_n1_k256_f16_nn",
                                      "matmul_m5_n2_k256_f32_nn", "matmul_m5_n2_k256_f16_nn"}));
}

TEST(ExpandOp, WhatIsNotSaidHasAValue) {
  for (const char* text : {"op:matmul", "op:matmul[]"}) {
    auto all = expand_op(text);
    ASSERT_TRUE(all);
    ASSERT_EQ(all->size(), 1u);
    EXPECT_EQ(all->front().spelled(), "op:matmul[m=256,n=256,k=256,dtype=f32,layout=nn]");
  }
}

TEST(ExpandOp, SpelledIsReadAgainAsTheSame) {
  auto all = expand_op("op:matmul[m=2^3:2^5,k=7|9,layout=tn|tt,dtype=i8]");
  ASSERT_TRUE(all);
  std::set<std::string> names;
  for (const OpWorkload& workload : *all) {
    auto again = expand_op(workload.spelled());
    ASSERT_TRUE(again);
    ASSERT_EQ(again->size(), 1u);
    EXPECT_EQ(again->front().name(), workload.name());
    names.insert(workload.name());
  }
  EXPECT_EQ(names.size(), 12u);
}

TEST(ExpandOp, ErrorsSayWhatAndWhereAndWhatThereIs) {
  EXPECT_EQ(problem("op:matmull"),
            "'op:matmull', character 4: there is no operation 'matmull' (did you mean 'matmul'?)");
  EXPECT_EQ(problem("op:matmul[m=64,q=3]"),
            "'op:matmul[m=64,q=3]', character 16: matmul takes no 'q', but m, n, k, dtype, "
            "layout");
  EXPECT_EQ(problem("op:matmul[dtype=f32|f8]"),
            "'op:matmul[dtype=f32|f8]', character 21: 'f8' is no value of dtype; it can be f32, "
            "f16, bf16, f64, i8");
  EXPECT_EQ(problem("op:matmul[m=9:3]"),
            "'op:matmul[m=9:3]', character 15: the range ends at 3, before it begins at 9");
  EXPECT_EQ(problem("op:matmul[m]"), "'op:matmul[m]', character 11: 'm' has no value; write m=...");
  EXPECT_EQ(problem("op:matmul[m=1,m=2]"),
            "'op:matmul[m=1,m=2]', character 15: 'm' is given twice; write m=A|B");
  EXPECT_EQ(problem("op:matmul[m=1]x"),
            "'op:matmul[m=1]x', character 15: 'x' stands behind the ']' that ends the arguments");
  EXPECT_EQ(problem("op:matmul[m=1"),
            "'op:matmul[m=1', character 14: the ']' that ends the arguments is missing");
  EXPECT_EQ(problem("op:matmul[m=1:200000]"),
            "'op:matmul[m=1:200000]', character 13: that are more than 100000 values");
  EXPECT_EQ(problem("op:matmul[m=1:1000,n=1:1000]"),
            "'op:matmul[m=1:1000,n=1:1000]', character 1: that are more than 100000 workloads");
}

TEST(ExpandOp, WhatIsNoSizeIsRefused) {
  for (const char* text :
       {"",   "0",    "-1",    "1.5",     "x",     "1|",         "|1",
        "2^", "^2",   "1^3",   "2^32",    "2^x",   "3000000000", "1:",
        ":1", "1:2:", "1:2:0", "1:2:3:4", "2^2:8", "2^2:3^3",    "99999999999999999999",
        "+3", " 3"})
    EXPECT_NE(problem("op:matmul[m=" + std::string(text) + "]").find("character"),
              std::string::npos)
        << text;
}

}  // namespace
}  // namespace assay

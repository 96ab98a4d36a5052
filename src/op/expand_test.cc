#include "op/expand.h"

#include <gtest/gtest.h>

#include <map>
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

std::vector<std::string> spelled(const std::string& text, const ReadShapes& read = {}) {
  auto all = expand_op(text, read);
  EXPECT_TRUE(all) << all.error().describe();
  std::vector<std::string> found;
  if (all)
    for (const OpWorkload& workload : *all) found.push_back(workload.spelled());
  return found;
}

using Texts = std::vector<std::string>;

TEST(ExpandOp, SeveralKeysAtOnceGoTogether) {
  EXPECT_EQ(
      spelled("op:matvec[dtype=f32|f16,(k,m)=(2,1)|(4,3)|(2,1),layout=t]"),
      (Texts{"op:matvec[m=1,k=2,dtype=f32,layout=t]", "op:matvec[m=1,k=2,dtype=f16,layout=t]",
             "op:matvec[m=3,k=4,dtype=f32,layout=t]", "op:matvec[m=3,k=4,dtype=f16,layout=t]"}));
  EXPECT_EQ(problem("op:matmul[(m,n)=(1,2)|(3)]"),
            "'op:matmul[(m,n)=(1,2)|(3)]', character 23: '(3)' is not as many values in "
            "parentheses as there are keys, 2");
  EXPECT_EQ(problem("op:matmul[(m,n)=(1:2,2)]"),
            "'op:matmul[(m,n)=(1:2,2)]', character 18: one of several values in parentheses is no "
            "range");
  EXPECT_EQ(problem("op:matmul[m=1,(m,n)=(1,2)]"),
            "'op:matmul[m=1,(m,n)=(1,2)]', character 16: 'm' is given twice; write m=A|B");
}

TEST(ExpandOp, ASizeMayBeAsLargeAsAnother) {
  EXPECT_EQ(spelled("op:pooling[h=9,stride=1]"),
            Texts{"op:pooling[n=1,c=32,h=9,w=9,window=2,stride=1,take=max,dtype=f32]"});
}

TEST(ExpandOp, NamesAreShortAndTellAllThatDiffers) {
  const std::string text = "op:conv2d[h=7,kh=1|2,sh=1|2,sw=1|2,ph=0|1,groups=1|4,layout=nhwc_hwcf]";
  std::set<std::string> names;
  const auto all = expand_op(text);
  ASSERT_TRUE(all) << all.error().describe();
  for (const OpWorkload& each : *all) names.insert(each.name());
  EXPECT_EQ(names.size(), 32u);
  EXPECT_TRUE(names.contains("conv2d_n1_c32_f32_h7_w7_kh1_kw1_f32_nhwc_hwcf"));
  EXPECT_TRUE(names.contains("conv2d_n1_c32_f32_h7_w7_kh2_kw2_sh2_sw1_groups4_f32_nhwc_hwcf"));
  const auto mixed = expand_op("op:matmul[m=1,n=1,k=1,dtype=f16*f16->f32,accumulate=yes]");
  ASSERT_TRUE(mixed);
  EXPECT_EQ(mixed->front().name(), "matmul_m1_n1_k1_f16_f16_f32_nn_accumulateyes");
}

TEST(ExpandOp, TheDispatchProfilersNames) {
  auto classic = [](const std::string& text) { return expand_op(text)->front().classic_name(); };
  EXPECT_EQ(classic("op:matmul[m=256,n=512,k=128,dtype=f16]"), "matmul_256x512x128_f16t_f16t_f16t");
  EXPECT_EQ(classic("op:matmul[m=1,n=2,k=3,dtype=f16*f16->f32,layout=tn]"),
            "matmul_1x2x3_f16n_f16t_f32t");
  EXPECT_EQ(classic("op:batch_matmul[b=16,m=512,n=64,k=512,dtype=i8]"),
            "batch_matmul_16x512x64x512_s8t_s8t_s32t");
  EXPECT_EQ(classic("op:softmax"), "");
  EXPECT_EQ(classic("op:matmul[m=1,n=2,k=3,accumulate=yes]"), "");
  EXPECT_EQ(classic("op:matmul[m=1,n=2,k=3,dynamic=m]"), "");
}

// Files by their names.
ReadShapes files(const std::map<std::string, std::string>& texts) {
  return [texts](const std::string& name, bool is_set) -> Result<std::string> {
    const auto found = texts.find(is_set ? "set " + name : name);
    if (found == texts.end()) return error(Code::not_found, "there is no '" + name + "'", "look");
    return found->second;
  };
}

TEST(ExpandOp, RowsOfFilesAndSets) {
  const ReadShapes read = files({{"a.csv", "m,k,layout\n1,2,t\n\n3,4,\n"},
                                 {"set both", "# of two kinds\nop:matvec[m=5,k=6]\nop:softmax\n"}});
  EXPECT_EQ(
      spelled("op:matvec[file=a.csv]", read),
      (Texts{"op:matvec[m=1,k=2,dtype=f32,layout=t]", "op:matvec[m=3,k=4,dtype=f32,layout=n]"}));
  EXPECT_EQ(
      spelled("op:matvec[set=both,k=7|8,dtype=f64]", read),
      (Texts{"op:matvec[m=5,k=7,dtype=f64,layout=n]", "op:matvec[m=5,k=8,dtype=f64,layout=n]"}))
      << "what stands beside the file holds for all rows";
  EXPECT_EQ(spelled("op:*[set=both,dtype=f16]", read).size(), 2u);
  EXPECT_EQ(spelled("op:*max[set=both]", read).size(), 1u);
}

TEST(ExpandOp, ErrorsInFilesSayWhere) {
  const ReadShapes read = files({{"a.csv", "m,q\n1,2\n"},
                                 {"b.csv", "op,m\nmatvec,0\n"},
                                 {"c.csv", "m\n1\n"},
                                 {"d.txt", "op:matvec[file=a.csv]\n"}});
  auto described = [&](const std::string& text) {
    auto all = expand_op(text, read);
    EXPECT_FALSE(all) << text;
    return all ? "" : all.error().describe();
  };
  auto expect = [&](const std::string& text, const std::string& part) {
    EXPECT_TRUE(described(text).contains(part)) << described(text);
  };
  expect("op:matvec[file=a.csv]", "reading line 2 of a.csv");
  expect("op:matvec[file=a.csv]", "matvec takes no 'q'");
  expect("op:*[file=b.csv]", "'0' is no size for m");
  expect("op:*[file=c.csv]", "does not say of which operation it is");
  expect("op:softmax[file=b.csv]", "'0' is no size for m");
  expect("op:matvec[file=d.txt]", "a file of shapes cannot name another");
  expect("op:matvec[file=none.csv]", "there is no 'none.csv'");
  expect("op:matvec[set=a,set=b]", "there is no 'a'");
}

TEST(ExpandOp, ArgumentsThatDoNotGoTogetherAreRefused) {
  EXPECT_EQ(problem("op:matmul_splitk[k=100,slices=3]"), "k=100 is no multiple of slices=3");
  EXPECT_EQ(problem("op:conv2d[c=6,f=4,groups=3]"), "c=6 and f=4 are no multiples of groups=3");
  EXPECT_EQ(problem("op:conv1d[w=4,kw=5]"), "kw=5 with dw=1 does not fit into w=4 with pw=0");
  EXPECT_EQ(problem("op:attention[heads=8,kv_heads=3]"), "heads=8 is no multiple of kv_heads=3");
  EXPECT_EQ(problem("op:pooling[window=3,padding=2]"), "padding=2 is more than half of window=3");
}

TEST(ExpandOp, WhatNothingHoldsOrComputesIsRefused) {
  EXPECT_EQ(problem("op:matmul[m=2^31,n=2^31,k=2^31]"),
            "its tensors come to 6e+19 bytes, which nothing holds");
  EXPECT_EQ(problem("op:matmul[m=2^22,n=2^22,k=2^22]"),
            "its sizes come to 1e+20 operations, which nothing computes");
  EXPECT_EQ(problem("op:reduction[rows=2^31,columns=2^31]"),
            "its tensors come to 2e+19 bytes, which nothing holds");
  EXPECT_EQ(problem("op:pooling[n=2^30,c=2^30,h=2^20,window=1]"),
            "its tensors come to 1e+31 bytes, which nothing holds")
      << "its elements are 0 in 64 bits";
  // Groups, strides and dilations are no work, nor are slices of a sum.
  for (const char* text : {"op:conv2d[n=64,c=4096,f=4096,groups=4096,h=224,kh=7]",
                           "op:conv2d[n=8,c=512,f=512,h=512,kh=3,sh=8,ph=64,dh=32,groups=512]",
                           "op:matmul_splitk[m=2^14,n=2^14,k=2^20,slices=2^14]"})
    EXPECT_EQ(spelled(text).size(), 1u) << text;
}

TEST(ExpandOp, ASweepGoesWithoutWhatCannotBe) {
  const ReadShapes read = files({{"log.txt", "MIOpenDriver conv -n 2 -F 2\nop:softmax\n"},
                                 {"none.txt", "MIOpenDriver pool -n 1\n"}});
  auto left_out = [&](const std::string& text) {
    const auto sweep = sweep_op(text, read);
    EXPECT_TRUE(sweep && sweep->workloads.size() == 1) << text;
    Texts found;
    if (sweep)
      for (const LeftOut& each : sweep->left_out)
        found.push_back(each.what + ": " + each.why.message);
    return found;
  };
  EXPECT_EQ(left_out("op:softmax[rows=3]"), Texts{});
  EXPECT_EQ(left_out("op:attention[heads=8,kv_heads=3|4]").size(), 1u);
  EXPECT_EQ(left_out("op:*[file=log.txt]"),
            Texts{"line 1 of log.txt: -F 2 is no convolution forward"});
  // Where nothing is left, and for whoever asks for one, that is a mistake.
  EXPECT_EQ(problem("op:attention[heads=8,kv_heads=3|4]"), "heads=8 is no multiple of kv_heads=3");
  EXPECT_FALSE(sweep_op("op:attention[heads=8,kv_heads=3|5]"));
  EXPECT_FALSE(sweep_op("op:*[file=none.txt]", read));
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
            "layout, accumulate, dynamic");
  EXPECT_EQ(problem("op:matmul[dtype=f32|f8]"),
            "'op:matmul[dtype=f32|f8]', character 21: 'f8' is no value of dtype; it can be f32, "
            "f16, bf16, f64, i8, f16*f16->f32, bf16*bf16->f32");
  EXPECT_EQ(problem("op:*[dtype=f64]"),
            "'op:*[dtype=f64]', character 12: 'f64' is no value of dtype of attention; it can be "
            "f32, f16, bf16");
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
            "'op:matmul[m=1:200000]', character 13: it stands for more than 100000 values");
  EXPECT_EQ(
      problem("op:matmul[m=1:1000,n=1:1000]"),
      "'op:matmul[m=1:1000,n=1:1000]', character 1: it stands for more than 100000 workloads");
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

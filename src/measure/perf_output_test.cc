#include "measure/perf_output.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(PerfOutput, IsReadAsNumbersAndNothing) {
  const Json counted = read_perf_output(
      "2000.50,msec,task-clock,2000500000,100.00,0.999,CPUs utilized\n"
      "40,,page-faults:u,2000500000,100.00,20.0,/sec\n"
      "9000000000,,instructions,2000500000,100.00,1.50,insn per cycle\n"
      "6000000000,,cycles,2000500000,100.00,3.0,GHz\n"
      "<not supported>,,cache-misses,0,100.00,,\n"
      "1000,,branches,1,100.00,,\n30,,branch-misses,1,100.00,,\n");
  EXPECT_EQ(counted["instructions"], 9e9);
  EXPECT_EQ(counted["page_faults"], 40);
  EXPECT_EQ(counted["cache_misses"], nullptr);
  EXPECT_EQ(perf_in_words(counted),
            "The processor does 1.50 instructions in a cycle. 3 % of the branches are guessed "
            "wrong.");
}

TEST(PerfOutput, ManyPageFaultsAreSaid) {
  const Json counted{{"task_clock", 1000.0}, {"page_faults", 500000.0}};
  EXPECT_TRUE(perf_in_words(counted).contains("500000 page faults")) << perf_in_words(counted);
}

TEST(PerfOutput, WhatCountsNothingIsNull) {
  EXPECT_EQ(read_perf_output(""), nullptr);
  EXPECT_EQ(read_perf_output("<not supported>,,instructions,0,100.00,,\n,\n,,,\n"), nullptr);
  EXPECT_EQ(perf_in_words(Json::object()), "");
}

}  // namespace
}  // namespace assay

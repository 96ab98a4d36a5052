#include "measure/ncu_output.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

// As Nsight Compute writes its raw page: lines of its own, a head, units, and a row for each
// launch.
constexpr const char* kRaw =
    "==PROF== Connected to process 42 (/usr/bin/python3.11)\n"
    "==PROF== Profiling \"rows\" - 0: 0%....50%....100% - 9 passes\n"
    "==PROF== Disconnected from process 42\n"
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\","
    "\"Block Size\",\"Grid Size\",\"Device\",\"CC\","
    "\"dram__bytes_read.sum\",\"dram__bytes_write.sum\","
    "\"dram__throughput.avg.pct_of_peak_sustained_elapsed\",\"gpu__time_duration.sum\","
    "\"launch__registers_per_thread\",\"launch__shared_mem_per_block_dynamic\","
    "\"launch__shared_mem_per_block_static\","
    "\"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active\","
    "\"sm__throughput.avg.pct_of_peak_sustained_elapsed\","
    "\"sm__warps_active.avg.pct_of_peak_sustained_active\","
    "\"smsp__inst_executed_op_local_ld.sum\"\n"
    "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"byte\",\"byte\",\"%\",\"nsecond\","
    "\"register/thread\",\"byte/block\",\"byte/block\",\"%\",\"%\",\"%\",\"inst\"\n"
    "\"0\",\"42\",\"python3.11\",\"127.0.0.1\",\"rows(float *, int)\",\"1\",\"7\",\"(256, 1, 1)\","
    "\"(1,024, 1, 1)\",\"0\",\"9.0\",\"1,048,576\",\"1,048,576\",\"81.5\",\"3,000\",\"255\","
    "\"32,768\",\"16,384\",\"0\",\"12.25\",\"48.5\",\"4,096\"\n"
    "\"1\",\"42\",\"python3.11\",\"127.0.0.1\",\"rows(float *, int)\",\"1\",\"7\",\"(256, 1, 1)\","
    "\"(1,024, 1, 1)\",\"0\",\"9.0\",\"1,048,576\",\"1,048,576\",\"80.5\",\"5,000\",\"255\","
    "\"32,768\",\"16,384\",\"n/a\",\"12.75\",\"49.5\",\"4,096\"\n"
    "\"2\",\"42\",\"python3.11\",\"127.0.0.1\",\"fill\",\"1\",\"7\",\"(256, 1, 1)\","
    "\"(1, 1, 1)\",\"0\",\"9.0\",\"0\",\"64\",\"0.1\",\"2,000\",\"16\",\"0\",\"0\",\"n/a\",\"0.5\","
    "\"2\",\"0\"\n";

std::string complaint_about(std::string_view text) {
  const auto counted = read_ncu_output(text);
  return counted ? "" : counted.error().message;
}

TEST(NcuOutput, ARawPageIsReadByKernels) {
  const auto counted = read_ncu_output(kRaw);
  ASSERT_TRUE(counted) << counted.error().message;
  const Json& kernels = (*counted)["kernels"];
  ASSERT_EQ(kernels.size(), 2u);
  const Json& rows = kernels[0];
  EXPECT_EQ(rows["name"], "rows(float *, int)");
  EXPECT_EQ(rows["launches"], 2);
  EXPECT_EQ(rows["total_ns"], 8000);
  EXPECT_EQ(rows["least_ns"], 3000);
  EXPECT_EQ(rows["most_ns"], 5000);
  EXPECT_EQ(rows["deviation_ns"], 1000);
  EXPECT_EQ(rows["share"], 0.8);
  EXPECT_EQ(rows["memory_bytes"], 2 << 20);
  EXPECT_EQ(rows["memory_percent"], 81);
  EXPECT_EQ(rows["processors_percent"], 12.5);
  EXPECT_EQ(rows["matrix_percent"], 0);  // of the launch that it was counted in
  EXPECT_EQ(rows["shared_bytes"], 49152);
  EXPECT_FALSE(kernels[1].contains("matrix_percent"));
}

TEST(NcuOutput, WordsSayWhatAKernelWaitsFor) {
  const auto counted = read_ncu_output(kRaw);
  ASSERT_TRUE(counted) << counted.error().message;
  EXPECT_EQ(
      ncu_in_words(*counted),
      "rows(float *, int) takes 80 % of the time on the card, in 2 launches of 4 us. It keeps "
      "the card's memory 81 % (2.0 MiB a launch), the SMs 12 % and the tensor cores 0 % busy. It "
      "takes 255 registers a thread and 48.0 KiB of shared memory a block. 49 % of the places for "
      "warps are taken (achieved occupancy). It spills registers to memory, or has arrays there "
      "that are indexed by variables. Memory is what it waits for: move fewer bytes. fill takes "
      "20 % of the time on the card, in 1 launch of 2 us. It keeps the card's memory 0 % (64 B "
      "a launch) and the SMs 0 % busy. It takes 16 registers a thread and 0 B of shared memory a "
      "block. 2 % of the places for warps are taken (achieved occupancy). Neither has much to do: "
      "there is too little work at a time, or each step waits for the one before.");
  EXPECT_EQ(ncu_in_words(Json::object()), "");
  EXPECT_EQ(ncu_in_words(Json{{"kernels", {1, {{"name", 2}}, {{"share", "x"}}}}}), "");
}

TEST(NcuOutput, UnitsAreReadWhereOthersAreWritten) {
  const auto counted = read_ncu_output(
      "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\",\"dram__bytes_read.sum\"\n"
      "\"\",\"\",\"usecond\",\"Mbyte\"\n\"0\",\"k\",\"2.5\",\"1.5\"\n");
  ASSERT_TRUE(counted) << counted.error().message;
  EXPECT_EQ((*counted)["kernels"][0]["total_ns"], 2500);
  EXPECT_EQ((*counted)["kernels"][0]["memory_bytes"], 1.5e6);
}

TEST(NcuOutput, ARowForEachCounterIsReadAsWell) {
  const auto counted = read_ncu_output(
      "\"ID\",\"Process ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\","
      "\"Metric Value\"\n"
      "\"0\",\"7\",\"k\",\"Command line profiler metrics\",\"gpu__time_duration.sum\",\"ns\","
      "\"1,000\"\n"
      "\"0\",\"7\",\"k\",\"Command line profiler metrics\",\"dram__bytes_read.sum\",\"Kbyte\","
      "\"2\"\n"
      "\"0\",\"8\",\"k\",\"Command line profiler metrics\",\"gpu__time_duration.sum\",\"ns\","
      "\"500\"\n");
  ASSERT_TRUE(counted) << counted.error().message;
  const Json& kernel = (*counted)["kernels"][0];
  EXPECT_EQ(kernel["launches"], 2);
  EXPECT_EQ(kernel["total_ns"], 1500);
  EXPECT_EQ(kernel["memory_bytes"], 2000);
}

TEST(NcuOutput, WhoMayNotCountIsToldWhatToDo) {
  EXPECT_EQ(complaint_about("==PROF== Connected to process 42 (/usr/bin/app)\n"
                            "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n"),
            "the driver lets nobody but root count on this card (ERR_NVGPUCTRPERM): load its "
            "module with NVreg_RestrictProfilingToAdminUsers=0");
  EXPECT_EQ(complaint_about("==ERROR== Failed to find metric x\n"), "ncu: Failed to find metric x");
  EXPECT_EQ(complaint_about("==WARNING== No kernels were profiled.\n"),
            "ncu has seen no kernel in the call that it was to look at");
}

TEST(NcuOutput, WhatIsNotWholeIsOneError) {
  EXPECT_EQ(complaint_about(""), "ncu has written no table");
  EXPECT_EQ(complaint_about("ID,Kernel Name\n"), "ncu has written no table");
  EXPECT_EQ(complaint_about("\"ID\",\"Kernel Name\"\n"), "ncu's table has no kernels");
  EXPECT_EQ(complaint_about("\"ID\",\"Other\"\n\"0\",\"k\"\n"), "ncu's table names no kernels");
  EXPECT_EQ(complaint_about("\"ID\",\"Kernel Name\",\"x\"\n\"0\",\"k\"\n"),
            "ncu's table is cut short: a row has 2 fields, and its head 3");
  const std::string whole = kRaw;
  EXPECT_EQ(complaint_about(whole.substr(0, whole.size() - 3)),
            "ncu's table is not whole: line 5: a quote is not closed");
}

TEST(NcuOutput, NumbersThatAreNoneAreLeftOut) {
  const auto counted = read_ncu_output(
      "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\",\"launch__registers_per_thread\"\n"
      "\"0\",\"k\",\"nan\",\"inf\"\n\"1\",\"k\",\"-5\",\"1e300\"\n");
  ASSERT_TRUE(counted) << counted.error().message;
  const Json& kernel = (*counted)["kernels"][0];
  EXPECT_EQ(kernel["total_ns"], 0);
  EXPECT_FALSE(kernel.contains("registers"));
}

}  // namespace
}  // namespace assay

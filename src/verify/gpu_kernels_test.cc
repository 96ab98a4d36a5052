#include "verify/gpu_kernels.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(GpuKernels, AreReadWithTheirFiles) {
  std::string written =
      R"({"kernels": [{"name": "add", "launches": 2, "warps": 4, "shared_bytes": 16, "registers": 40, )"
      R"("spilled_bytes": 8, "narrow": true, )"
      R"("files": [{"name": "ptx", "bytes": 3}, {"name": "cubin", "bytes": 2}]}, )"
      R"({"name": "add", "launches": 1, "warps": 8, "shared_bytes": 0, "narrow": false, )"
      R"("files": [{"name": "ptx", "bytes": 1}]}], "stopped": "it asked\u001b[2J"})"
      "\nabcdeX";
  auto kernels = read_gpu_kernels(written);
  ASSERT_TRUE(kernels) << kernels.error().describe();
  ASSERT_EQ(kernels->list.size(), 2u);
  EXPECT_EQ(kernels->list[0]["launches"], 2);
  EXPECT_EQ(kernels->list[0]["registers"], 40);
  EXPECT_EQ(kernels->list[0]["spilled_bytes"], 8);
  EXPECT_EQ(kernels->list[1]["name"], "add_2") << "another kernel of that name";
  EXPECT_FALSE(kernels->list[1].contains("registers")) << "nobody said";
  ASSERT_EQ(kernels->files.size(), 3u);
  EXPECT_EQ(kernels->files[0].name, "kernels/add.ptx");
  EXPECT_EQ(kernels->files[0].bytes, "abc");
  EXPECT_EQ(kernels->files[1].bytes, "de");
  EXPECT_EQ(kernels->files[2].name, "kernels/add_2.ptx");
  EXPECT_EQ(kernels->files[2].bytes, "X");
  EXPECT_TRUE(kernels->narrow);
  EXPECT_FALSE(kernels->stopped.contains('\x1b'));
  EXPECT_EQ(kernels->record.status, StageStatus::ok);
}

// Of two that differ only behind that, too.
TEST(GpuKernels, LongNamesAreCutToWhatFileSystemsTake) {
  const std::string kernel = R"({"name": ")" + std::string(900, 'k') +
                             R"(", "launches": 1, "warps": 4, "shared_bytes": 0, "narrow": false, )"
                             R"("files": [{"name": "ptx", "bytes": 1}]})";
  auto kernels = read_gpu_kernels(R"({"kernels": [)" + kernel + ", " + kernel + "]}\nab");
  ASSERT_TRUE(kernels) << kernels.error().describe();
  ASSERT_EQ(kernels->files.size(), 2u);
  EXPECT_NE(kernels->files[0].name, kernels->files[1].name);
  for (const CompiledFile& file : kernels->files) {
    const std::string name = file.name.substr(file.name.rfind('/') + 1);
    // As it is called while it is written, and beside others of its name.
    EXPECT_LE(name.size() + std::string(".4194304.4294967295.tmp").size() + 10, 255u) << name;
  }
}

TEST(GpuKernels, WhatDoesNotCompileIsAFinding) {
  auto kernels = read_gpu_kernels(
      R"({"kernels": [], "failed": {"class": "build", "error": "no", "detail": "more"}})"
      "\n");
  ASSERT_TRUE(kernels);
  EXPECT_EQ(kernels->record.stage, Stage::compile);
  EXPECT_EQ(kernels->record.failure, FailureClass::build);
  kernels = read_gpu_kernels(
      "{\"kernels\": [], \"unsupported\": {\"reason\": \"it asks for a device\"}}\n");
  ASSERT_TRUE(kernels);
  EXPECT_EQ(kernels->record.status, StageStatus::unsupported);
}

TEST(GpuKernels, NothingElseIsTaken) {
  const char* kernel =
      R"({"kernels": [{"name": "%", "launches": 1, "warps": 1, )"
      R"("shared_bytes": 1, "narrow": false, "files": [{"name": "ptx", "bytes": 9}]}]})";
  for (const std::string& written :
       {std::string("\n"), std::string("[]\n"), std::string("{}\n"),
        std::string("{\"kernels\": 3}\n"), std::string("{\"kernels\": [3]}\n"),
        std::string(kernel) + "\n123456789",  // a name that would be a path
        std::string("{\"kernels\": [], \"failed\": 3}\n")}) {
    auto kernels = read_gpu_kernels(written);
    EXPECT_TRUE(!kernels || kernels->record.failure == FailureClass::protocol) << written;
  }
  std::string named = kernel;
  named[named.find('%')] = 'k';
  EXPECT_TRUE(read_gpu_kernels(named + "\n123456789"));
  std::string twice = named;
  twice.replace(twice.find("[{\"name\": \"ptx\""), 1, "[{\"name\": \"ptx\", \"bytes\": 0}, ");
  EXPECT_FALSE(read_gpu_kernels(twice + "\n123456789")) << "two files of one name";
  EXPECT_FALSE(read_gpu_kernels(std::string(2 << 20, ' ') + named + "\n123456789"));
  EXPECT_FALSE(read_gpu_kernels(named + "\n12345678")) << "there is less than it says";
}

}  // namespace
}  // namespace assay

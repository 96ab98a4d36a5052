#include "measure/peak_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "measure/crew.h"
#include "target/machine.h"

namespace assay {
namespace {

constexpr size_t kBytes = 3 * kMemoryKernelUnit;

std::vector<std::string> features() { return cpu_features(system_disk()); }

class Memory {
 public:
  Memory() : bytes_(static_cast<std::byte*>(std::aligned_alloc(4096, 20480)), std::free) {
    for (size_t i = 0; i < 20480; ++i) bytes_.get()[i] = static_cast<std::byte>(i * 7 % 251);
  }
  std::byte* data() const { return bytes_.get(); }

 private:
  std::unique_ptr<std::byte, decltype(&std::free)> bytes_;
};

// A rate counts all bytes: none may be left out, and none be touched beyond.
TEST(MemoryKernels, TouchEachByteTheyAreSaidTo) {
  for (const MemoryKernel& kernel : memory_kernels(features())) {
    SCOPED_TRACE(std::string(to_word(kAccessWords, kernel.access)) + " " +
                 std::string(kernel.name));
    const Memory before, memory;
    kernel.run(memory.data(), kBytes, 2);
    const std::byte* now = memory.data();
    EXPECT_EQ(0, std::memcmp(now + kBytes, before.data() + kBytes, 20480 - kBytes));
    switch (kernel.access) {
      case Access::read:
        EXPECT_EQ(0, std::memcmp(now, before.data(), kBytes));
        break;
      case Access::write:  // the number of the pass: a byte, or the first of eight
        for (size_t i = 0; i < kBytes; ++i)
          ASSERT_EQ(static_cast<int>(now[i]), kernel.name == "memset" || i % 8 == 0 ? 1 : 0);
        break;
      case Access::copy:
        EXPECT_EQ(0, std::memcmp(now, before.data(), kBytes / 2));
        EXPECT_EQ(0, std::memcmp(now + kBytes / 2, now, kBytes / 2));
        break;
      case Access::add:
        for (size_t i = 0; i < kBytes / 3; i += 8) {
          uint64_t one = 0, other = 0, sum = 0;
          std::memcpy(&one, now + i, 8);
          std::memcpy(&other, now + kBytes / 3 + i, 8);
          std::memcpy(&sum, now + kBytes / 3 * 2 + i, 8);
          ASSERT_EQ(sum, one + other);
        }
        break;
    }
  }
}

TEST(MemoryKernels, ThereAreSomeOfEachAccessOnAnyMachine) {
  const auto kernels = memory_kernels({});
  for (const auto& [access, word] : kAccessWords)
    EXPECT_NE(std::ranges::find(kernels, access, &MemoryKernel::access), kernels.end()) << word;
}

// x = x * 1 + 1 is the number of steps.
TEST(ComputeKernels, DoAllTheirSteps) {
  for (const ComputeKernel& kernel : compute_kernels(features())) {
    SCOPED_TRACE(std::string(kernel.dtype) + " " + std::string(kernel.name));
    EXPECT_GT(kernel.operations, 0);
    alignas(64) std::byte values[kComputeKernelBytes] = {};
    if (kernel.dtype == "f32")
      for (size_t i = 0; i < sizeof values; i += 4) {
        const float one = 1;
        std::memcpy(values + i, &one, 4);
      }
    kernel.run(1000, values);
    float result = 0;
    std::memcpy(&result, values, 4);
    EXPECT_TRUE(kernel.dtype != "f32" || result == 1001) << result;
  }
}

TEST(ComputeKernels, AnyMachineHasTwoTypes) {
  const auto kernels = compute_kernels({});
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].dtype, "f32");
  EXPECT_EQ(kernels[1].dtype, "f64");
}

TEST(Crew, AllOfItWorkAndAsManyAsAreAskedFor) {
  Crew crew(cores_of_this_thread(), 3);
  for (const int threads : {1, 2, 3, 1, 3}) {
    std::vector<int> done(3);
    EXPECT_GE(crew.run(threads, [&](int thread) { ++done[static_cast<size_t>(thread)]; }), 0);
    for (int thread = 0; thread < 3; ++thread)
      EXPECT_EQ(done[static_cast<size_t>(thread)], thread < threads ? 1 : 0);
  }
}

}  // namespace
}  // namespace assay

// Loops that do nothing but compute, or move memory, as fast as a CPU can. Each is compiled for one
// set of instructions; what a CPU lacks is not run. What they take is measured by calibrate.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "target/calibration.h"

namespace assay {

// What a compute kernel is given: so many bytes, at a multiple of 64; zeros will do.
inline constexpr size_t kComputeKernelBytes = 2048;

// A loop of multiplications and additions in registers, in enough chains that none waits for
// another.
struct ComputeKernel {
  std::string_view name;   // of its instructions, in short
  std::string_view dtype;  // as targets' peaks name it: f64, f32, f16, bf16, i8
  double operations = 0;   // of one step: a multiplication and an addition are two
  void (*run)(int64_t steps, std::byte* memory) = nullptr;
};

// A loop that touches each byte of a memory once, again and again.
struct MemoryKernel {
  std::string_view name;
  Access access = Access::read;
  void (*run)(std::byte* memory, size_t bytes, int64_t passes) = nullptr;
};

// Memory of memory kernels is a multiple of so much, and begins at a multiple of a page.
inline constexpr size_t kMemoryKernelUnit = 6144;

// Those that a CPU with these features (as /proc/cpuinfo names them) can run. Always some of f32
// and f64. Of AMX's only where the system lets this process have it.
std::vector<ComputeKernel> compute_kernels(const std::vector<std::string>& cpu_features);
// Always some of each access.
std::vector<MemoryKernel> memory_kernels(const std::vector<std::string>& cpu_features);

}  // namespace assay

// What both files of device code share: the work, the card's clock, a thread's place.
#pragma once

#include <cstdint>

namespace {

// What a kernel is asked to compute. No step can be left out or joined with the next.
__device__ __forceinline__ uint32_t answer(uint32_t x, uint32_t rounds) {
  for (uint32_t round = 0; round < rounds; ++round) {
    x ^= x >> 15;
    x *= 0x2c1b3c6du;
    x += round;
  }
  return x;
}

__device__ __forceinline__ uint64_t nanoseconds() {
  uint64_t time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

__device__ __forceinline__ uint32_t first() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ uint32_t stride() { return gridDim.x * blockDim.x; }

}  // namespace

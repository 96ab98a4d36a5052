// What tests ask of the simulated driver beside what a driver has. Found by dlsym() in the library.
#pragma once

#include <cstdint>

#include "run/cuda/driver.h"

namespace simulated {

using assay::cuda::Address;
using assay::cuda::Answer;
using assay::cuda::Stream;

enum class Kernel : uint32_t {
  compute,        // y = 2 x + 1, so many floats
  rest,           // takes `microseconds`, and computes nothing
  never_end,      // until the memory is given up
  wrong_address,  // a fault that stays: all later calls of the process fail
};

// simulated_cuda_launch: queues a kernel.
using Launch = Answer (*)(Stream stream, Kernel kernel, Address x, Address y, uint64_t count,
                          uint64_t microseconds);

// simulated_cuda_set: of this process alone. False: there is no such name.
//   cards         that there are: 1
//   memory_bytes  of the card: 1 GiB
//   start_fails   what cuInit answers: 0
//   lost          not 0: the card is, and each call fails
//   lost_after    so many calls from now on it is; 0: it is not going to be
//   fault         an error that stays, as after a kernel's wrong address; 0: none any more
//   held_back_by  why its clocks are held back: 0
using Set = bool (*)(const char* name, uint64_t value);

// simulated_cuda_shared: where the memory lies that this process mapped last. For who looks at what
// nobody is to see: it can be read and written as the host's.
using Shared = Address (*)();

}  // namespace simulated

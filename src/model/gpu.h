// A kind of device that candidates bring code for in a language of its own: Triton, CUDA, HIP.
#pragma once

#include <cstdint>
#include <string>

#include "base/words.h"

namespace assay {

enum class GpuKind {
  cuda,  // NVIDIA's: Triton and CUDA
  hip,   // AMD's: Triton and HIP
};
inline constexpr Word<GpuKind> kGpuKindWords[] = {{GpuKind::cuda, "cuda"}, {GpuKind::hip, "hip"}};

struct Gpu {
  GpuKind kind = GpuKind::cuda;
  std::string architecture;   // as its compilers name it: "sm_80", "gfx942"
  int64_t warp_threads = 32;  // that go in step
  uint64_t shared_bytes = 0;  // of the memory that a block's threads share: at most
  int64_t processors = 0;     // that work on blocks at the same time; 0: nobody says
  // What the driver calls such a card has this in it: "A100". "": any of this architecture is one.
  std::string card{};

  bool operator==(const Gpu&) const = default;
};

}  // namespace assay

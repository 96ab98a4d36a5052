#include <algorithm>
#include <atomic>
#include <cstring>

#include "measure/peak_kernels.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace assay {
namespace {

// Between passes: what a pass has read must be read again.
inline void forget_memory() { std::atomic_signal_fence(std::memory_order_seq_cst); }

volatile std::byte sink;

// The C library's, which choose by what the CPU is.
void set_bytes(std::byte* memory, size_t bytes, int64_t passes) {
  for (int64_t pass = 0; pass < passes; ++pass) {
    std::memset(memory, static_cast<int>(pass), bytes);
    forget_memory();
  }
}

void copy_bytes(std::byte* memory, size_t bytes, int64_t passes) {
  for (int64_t pass = 0; pass < passes; ++pass) {
    std::memcpy(memory + bytes / 2, memory, bytes / 2);
    forget_memory();
  }
}

namespace by16 {
#define ASSAY_WIDTH 16
#define ASSAY_TARGET
#ifdef __x86_64__
#define ASSAY_STREAM(to, value) _mm_stream_si128((__m128i*)(to), (__m128i)(value))
#else
#define ASSAY_STREAM(to, value) (*(to) = (value))
#endif
#include "measure/memory_loops.inc"
}  // namespace by16

#ifdef __x86_64__
#undef ASSAY_WIDTH
#undef ASSAY_TARGET
#undef ASSAY_STREAM
namespace by32 {
#define ASSAY_WIDTH 32
#define ASSAY_TARGET __attribute__((target("avx2")))
#define ASSAY_STREAM(to, value) _mm256_stream_si256((__m256i*)(to), (__m256i)(value))
#include "measure/memory_loops.inc"
}  // namespace by32

#undef ASSAY_WIDTH
#undef ASSAY_TARGET
#undef ASSAY_STREAM
namespace by64 {
#define ASSAY_WIDTH 64
#define ASSAY_TARGET __attribute__((target("avx512f")))
#define ASSAY_STREAM(to, value) _mm512_stream_si512((__m512i*)(to), (__m512i)(value))
#include "measure/memory_loops.inc"
}  // namespace by64
#endif

}  // namespace

std::vector<MemoryKernel> memory_kernels(const std::vector<std::string>& cpu_features) {
  std::vector<MemoryKernel> kernels{{"memset", Access::write, set_bytes},
                                    {"memcpy", Access::copy, copy_bytes},
                                    {"16 bytes", Access::read, by16::read},
                                    {"16 bytes, four streams", Access::read, by16::read_four},
                                    {"16 bytes", Access::write, by16::write<false>},
                                    {"16 bytes, past caches", Access::write, by16::write<true>},
                                    {"16 bytes", Access::copy, by16::copy<false>},
                                    {"16 bytes, past caches", Access::copy, by16::copy<true>},
                                    {"16 bytes", Access::add, by16::add<false>},
                                    {"16 bytes, past caches", Access::add, by16::add<true>}};
#ifdef __x86_64__
  auto has = [&](std::string_view feature) {
    return std::ranges::find(cpu_features, feature) != cpu_features.end();
  };
  if (has("avx2"))
    kernels.insert(kernels.end(), {{"32 bytes", Access::read, by32::read},
                                   {"32 bytes, four streams", Access::read, by32::read_four},
                                   {"32 bytes", Access::write, by32::write<false>},
                                   {"32 bytes, past caches", Access::write, by32::write<true>},
                                   {"32 bytes", Access::copy, by32::copy<false>},
                                   {"32 bytes, past caches", Access::copy, by32::copy<true>},
                                   {"32 bytes", Access::add, by32::add<false>},
                                   {"32 bytes, past caches", Access::add, by32::add<true>}});
  if (has("avx512f"))
    kernels.insert(kernels.end(), {{"64 bytes", Access::read, by64::read},
                                   {"64 bytes, four streams", Access::read, by64::read_four},
                                   {"64 bytes", Access::write, by64::write<false>},
                                   {"64 bytes, past caches", Access::write, by64::write<true>},
                                   {"64 bytes", Access::copy, by64::copy<false>},
                                   {"64 bytes, past caches", Access::copy, by64::copy<true>},
                                   {"64 bytes", Access::add, by64::add<false>},
                                   {"64 bytes, past caches", Access::add, by64::add<true>}});
#endif
  return kernels;
}

}  // namespace assay

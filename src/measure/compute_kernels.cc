#include <algorithm>

#include "measure/peak_kernels.h"

#ifdef __x86_64__
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace assay {
namespace {

// One step of each of so many chains, again and again: `next` is what becomes of x. They begin with
// what stands in memory, of which the compiler knows nothing, and so makes none of them out of
// another. A pipeline that is four deep, and there twice or four times, is full with 8 or 16
// chains; 12 are what 16 registers hold beside constants.
#define ASSAY_CHAINS(NAME, TARGET, VECTOR, CHAINS, NEXT)                               \
  TARGET void NAME(int64_t steps, std::byte* memory) {                                 \
    static_assert(((CHAINS) + 2) * sizeof(VECTOR) <= kComputeKernelBytes);             \
    auto* values = reinterpret_cast<VECTOR*>(memory);                                  \
    VECTOR chains[CHAINS];                                                             \
    _Pragma("GCC unroll 32") for (int i = 0; i < (CHAINS); ++i) chains[i] = values[i]; \
    const VECTOR a = values[CHAINS], b = values[(CHAINS) + 1];                         \
    for (int64_t step = 0; step < steps; ++step)                                       \
      _Pragma("GCC unroll 32") for (int i = 0; i < (CHAINS); ++i) {                    \
        const VECTOR x = chains[i];                                                    \
        chains[i] = NEXT;                                                              \
      }                                                                                \
    _Pragma("GCC unroll 32") for (int i = 0; i < (CHAINS); ++i) values[i] = chains[i]; \
  }

using Floats = float __attribute__((vector_size(16)));
using Doubles = double __attribute__((vector_size(16)));
#ifdef __x86_64__
constexpr int kFew = 12, kMany = 24;
#else
constexpr int kFew = 24;
#endif
ASSAY_CHAINS(chains_f32, , Floats, kFew, b + (x * a))
ASSAY_CHAINS(chains_f64, , Doubles, kFew, b + (x * a))

#ifdef __x86_64__
#define ASSAY_AVX __attribute__((target("avx")))
#define ASSAY_FMA __attribute__((target("fma")))
#define ASSAY_512 __attribute__((target("avx512f")))
#define ASSAY_FP16 __attribute__((target("avx512f,avx512bw,avx512vl,avx512fp16")))
#define ASSAY_BF16 __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16")))
#define ASSAY_VNNI __attribute__((target("avx512f,avx512bw,avx512vnni")))
#define ASSAY_AVX_VNNI __attribute__((target("avx2,avxvnni")))
ASSAY_CHAINS(avx_f32, ASSAY_AVX, __m256, kFew, _mm256_add_ps(_mm256_mul_ps(x, a), b))
ASSAY_CHAINS(avx_f64, ASSAY_AVX, __m256d, kFew, _mm256_add_pd(_mm256_mul_pd(x, a), b))
ASSAY_CHAINS(fma_f32, ASSAY_FMA, __m256, kFew, _mm256_fmadd_ps(x, a, b))
ASSAY_CHAINS(fma_f64, ASSAY_FMA, __m256d, kFew, _mm256_fmadd_pd(x, a, b))
ASSAY_CHAINS(avx512_f32, ASSAY_512, __m512, kMany, _mm512_fmadd_ps(x, a, b))
ASSAY_CHAINS(avx512_f64, ASSAY_512, __m512d, kMany, _mm512_fmadd_pd(x, a, b))
ASSAY_CHAINS(avx512_f16, ASSAY_FP16, __m512h, kMany, _mm512_fmadd_ph(x, a, b))
ASSAY_CHAINS(avx512_bf16, ASSAY_BF16, __m512, kMany,
             _mm512_dpbf16_ps(x, (__m512bh)(a), (__m512bh)(b)))
ASSAY_CHAINS(avx512_i8, ASSAY_VNNI, __m512i, kMany, _mm512_dpbusd_epi32(x, a, b))
ASSAY_CHAINS(avx_i8, ASSAY_AVX_VNNI, __m256i, kFew, _mm256_dpbusd_avx_epi32(x, a, b))

// AMX: four tiles of sums, two times two tiles of factors, as products of matrices have them.
struct alignas(64) TileShapes {
  uint8_t palette = 1, first_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
// In memory as a whole: GCC sees no more than the first bytes of it used.
constexpr TileShapes kTileShapes;

#define ASSAY_TILES(NAME, TARGET, PRODUCT)                               \
  __attribute__((target(TARGET))) void NAME(int64_t steps, std::byte*) { \
    _tile_loadconfig(&kTileShapes);                                      \
    for (int64_t step = 0; step < steps; ++step) {                       \
      PRODUCT(0, 4, 6);                                                  \
      PRODUCT(1, 4, 7);                                                  \
      PRODUCT(2, 5, 6);                                                  \
      PRODUCT(3, 5, 7);                                                  \
    }                                                                    \
    _tile_release();                                                     \
  }
ASSAY_TILES(tiles_bf16, "amx-tile,amx-bf16", _tile_dpbf16ps)
ASSAY_TILES(tiles_i8, "amx-tile,amx-int8", _tile_dpbusd)

// Linux lends tiles to those who ask.
bool may_use_tiles() {
  constexpr int kRequestPermission = 0x1023, kTileData = 18;  // asm/prctl.h
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}
#endif

}  // namespace

std::vector<ComputeKernel> compute_kernels(const std::vector<std::string>& cpu_features) {
  std::vector<ComputeKernel> kernels{{"baseline", "f32", kFew * 4 * 2, chains_f32},
                                     {"baseline", "f64", kFew * 2 * 2, chains_f64}};
#ifdef __x86_64__
  auto add = [&](std::string_view feature, const ComputeKernel& kernel) {
    if (std::ranges::find(cpu_features, feature) != cpu_features.end()) kernels.push_back(kernel);
  };
  add("avx", {"AVX", "f32", kFew * 8 * 2, avx_f32});
  add("avx", {"AVX", "f64", kFew * 4 * 2, avx_f64});
  add("fma", {"FMA", "f32", kFew * 8 * 2, fma_f32});
  add("fma", {"FMA", "f64", kFew * 4 * 2, fma_f64});
  add("avx512f", {"AVX-512", "f32", kMany * 16 * 2, avx512_f32});
  add("avx512f", {"AVX-512", "f64", kMany * 8 * 2, avx512_f64});
  add("avx512_fp16", {"AVX-512", "f16", kMany * 32 * 2, avx512_f16});
  add("avx512_bf16", {"AVX-512", "bf16", kMany * 32 * 2, avx512_bf16});
  add("avx512_vnni", {"AVX-512", "i8", kMany * 64 * 2, avx512_i8});
  add("avx_vnni", {"AVX-VNNI", "i8", kFew * 32 * 2, avx_i8});
  if (std::ranges::find(cpu_features, "amx_tile") != cpu_features.end() && may_use_tiles()) {
    constexpr double kSums = 4 * 16 * 16;
    add("amx_bf16", {"AMX", "bf16", kSums * 32 * 2, tiles_bf16});
    add("amx_int8", {"AMX", "i8", kSums * 64 * 2, tiles_i8});
  }
#endif
  return kernels;
}

}  // namespace assay

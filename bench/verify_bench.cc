// What verifying costs per byte, on one core: comparing outputs, drawing inputs, checking products.
// Arrays are larger than the caches.
#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "verify/compare.h"
#include "verify/distributions.h"
#include "verify/draws.h"
#include "verify/number.h"
#include "verify/product.h"

namespace assay {
namespace {

constexpr uint64_t kElements = uint64_t{1} << 24;

const RandomStream& stream() {
  static const RandomStream made(Seed{}, "bench");
  return made;
}

struct Outputs {
  std::vector<std::byte> candidate, baseline;
  std::vector<double> exact;
};

Outputs outputs(Dtype dtype) {
  Outputs made;
  made.exact.resize(kElements);
  normal(stream(), 0, made.exact);
  made.candidate.resize(kElements * bytes_of(dtype));
  store_block(dtype, made.exact.data(), kElements, made.candidate.data());
  made.baseline = made.candidate;
  return made;
}

void compare_outputs(benchmark::State& state, Dtype dtype) {
  Outputs made = outputs(dtype);
  Values values{dtype,
                kElements,
                made.candidate.data(),
                made.baseline.data(),
                reinterpret_cast<const std::byte*>(made.exact.data()),
                Dtype::f64};
  for (auto _ : state) benchmark::DoNotOptimize(compare(values).compared);
  state.SetBytesProcessed(state.iterations() *
                          static_cast<int64_t>(kElements * (2 * bytes_of(dtype) + 8)));
}
BENCHMARK_CAPTURE(compare_outputs, f32, Dtype::f32)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compare_outputs, f16, Dtype::f16)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compare_outputs, bf16, Dtype::bf16)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compare_outputs, f64, Dtype::f64)->Unit(benchmark::kMillisecond);

void draw_inputs(benchmark::State& state, DrawKind kind) {
  TensorSpec spec{Dtype::f32, {static_cast<int64_t>(kElements)}, {}};
  std::vector<std::byte> memory(spec.span_bytes());
  Draw call;
  call.kind = kind;
  for (auto _ : state)
    if (!draw(spec, call, stream(), memory.data())) state.SkipWithError("cannot draw");
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(memory.size()));
}
BENCHMARK_CAPTURE(draw_inputs, rand, DrawKind::rand)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(draw_inputs, randn, DrawKind::randn)->Unit(benchmark::kMillisecond);

// A square product with its baseline, as one verification needs it: vectors drawn, probes through
// A, B and two C, and the sampled elements.
void check_product(benchmark::State& state, Dtype dtype, Dtype result, Layout layout) {
  const int64_t n = state.range(0);
  const int threads = static_cast<int>(state.range(1));
  TensorSpec spec{dtype, {n, n}, {}}, of_c{result, {n, n}, {}};
  std::vector<std::byte> a(spec.span_bytes()), b(spec.span_bytes()), c(of_c.span_bytes());
  Draw call;
  call.kind = is_floating(dtype) ? DrawKind::randn : DrawKind::randint;
  call.int_low = -128, call.int_high = 128;
  for (auto* memory : {&a, &b})
    if (!draw(spec, call, stream(), memory->data())) return state.SkipWithError("cannot draw");
  Product product{{n, n, n, layout, dtype, result}, a.data(), b.data()};
  for (auto _ : state) {
    Probes probes(product, stream(), threads);
    benchmark::DoNotOptimize(probes.check(c.data(), c.data()).compared);
    benchmark::DoNotOptimize(sample_sums(sums_of(product), stream()).exact.size());
  }
}
BENCHMARK_CAPTURE(check_product, f32_nn, Dtype::f32, Dtype::f32, Layout::nn)
    ->ArgsProduct({{4096}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(check_product, f32_tt, Dtype::f32, Dtype::f32, Layout::tt)
    ->Args({4096, 1})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(check_product, bf16_nn, Dtype::bf16, Dtype::bf16, Layout::nn)
    ->Args({4096, 1})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(check_product, f64_nn, Dtype::f64, Dtype::f64, Layout::nn)
    ->Args({4096, 1})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(check_product, i8_nn, Dtype::i8, Dtype::i32, Layout::nn)
    ->Args({4096, 1})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace assay

BENCHMARK_MAIN();

// Two native kernels as two benchmarks of google-benchmark's, baseline and candidate, in one
// process.
//
//     google_benchmark BASELINE CANDIDATE ROWS INNER COLUMNS [--benchmark_...]
//
// Both compute the product of two matrices of f32 of these sizes.
#include <assay/kernel.h>
#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

using Entry = int (*)(const assay_call*);

struct Matrix {
  Matrix(int64_t rows, int64_t columns)
      : shape{rows, columns}, strides{columns, 1}, values(static_cast<size_t>(rows * columns)) {}
  assay_tensor tensor() { return {values.data(), shape, strides, 2, ASSAY_F32, "", ASSAY_HOST}; }

  int64_t shape[2], strides[2];
  std::vector<float> values;
};

Entry entry_of(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void* entry = library ? dlsym(library, "assay_kernel") : nullptr;
  if (entry == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(2);
  }
  return reinterpret_cast<Entry>(entry);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 6) return 2;
  const int64_t rows = std::atoll(arguments[3]), inner = std::atoll(arguments[4]),
                columns = std::atoll(arguments[5]);
  Matrix x(rows, inner), w(inner, columns), y(rows, columns);
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (Matrix* each : {&x, &w})
    for (float& value : each->values) value = normal(random);
  const assay_tensor inputs[] = {x.tensor(), w.tensor()};
  const assay_tensor outputs[] = {y.tensor()};
  void* kept = nullptr;
  const assay_call call{ASSAY_KERNEL_ABI, 1,       2,       0,     1,     0, inputs,
                        nullptr,          outputs, nullptr, &kept, "cpu", 0, nullptr};
  const Entry entries[] = {entry_of(arguments[1]), entry_of(arguments[2])};
  const char* names[] = {"baseline", "candidate"};
  for (int side = 0; side < 2; ++side)
    benchmark::RegisterBenchmark(names[side],
                                 [&call, entry = entries[side]](benchmark::State& state) {
                                   for (auto _ : state)
                                     if (entry(&call) != 0)
                                       state.SkipWithError("the kernel declines");
                                 });
  // What is left are its own options, behind the program's name.
  arguments[5] = arguments[0];
  int own = count - 5;
  benchmark::Initialize(&own, arguments + 5);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

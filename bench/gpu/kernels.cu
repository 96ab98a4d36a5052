// Device code of gpu-probe: the judge's kernels, an honest candidate's, and hostile ones.
//
// Inputs are a function of a seed and a place, so that the judge needs no copy of them: element i
// is that of `seed`, or where `secret` picks it (about one in a hundred) that of `second`.
#include <cstdint>

#include "answer.h"

namespace {

__device__ __forceinline__ uint32_t mixed(uint32_t seed, uint32_t place) {
  uint32_t x = (place * 0x9e3779b9u) ^ seed;
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  x ^= x >> 16;
  return x;
}

__device__ __forceinline__ bool picked(uint32_t secret, uint32_t place) {
  return secret != 0 && mixed(secret, place) % 100 == 0;
}

__device__ __forceinline__ uint32_t input_at(uint32_t place, uint32_t seed, uint32_t secret,
                                             uint32_t second) {
  return mixed(picked(secret, place) ? second : seed, place);
}

__device__ uint32_t kept_results[1u << 22];
__device__ uint64_t kept_for;

}  // namespace

extern "C" {

// ---- the judge's

__global__ void nothing() {}

__global__ void write_inputs(uint32_t* inputs, uint32_t count, uint32_t seed) {
  for (uint32_t i = first(); i < count; i += stride()) inputs[i] = mixed(seed, i);
}

// The same as numbers from -1 to 1.
__global__ void write_floats(float* inputs, uint32_t count, uint32_t seed) {
  for (uint32_t i = first(); i < count; i += stride())
    inputs[i] = static_cast<float>(mixed(seed, i) >> 8) * 0x1p-23f - 1.0f;
}

// How many are further apart than that.
__global__ void count_apart(const float* some, const float* others, uint32_t count, float tolerance,
                            unsigned long long* apart) {
  unsigned long long mine = 0;
  for (uint32_t i = first(); i < count; i += stride())
    mine += !(fabsf(some[i] - others[i]) <= tolerance * (1.0f + fabsf(others[i])));
  if (mine != 0) atomicAdd(apart, mine);
}

__global__ void scatter_inputs(uint32_t* inputs, uint32_t count, uint32_t secret, uint32_t second) {
  for (uint32_t i = first(); i < count; i += stride())
    if (picked(secret, i)) inputs[i] = mixed(second, i);
}

__global__ void poison(uint32_t* outputs, uint32_t count, uint32_t seed) {
  for (uint32_t i = first(); i < count; i += stride()) outputs[i] = mixed(seed, ~i);
}

__global__ void sample(uint32_t* taken, const uint32_t* outputs, const uint32_t* places,
                       uint32_t count) {
  for (uint32_t i = first(); i < count; i += stride())
    taken[i] = *static_cast<const volatile uint32_t*>(outputs + places[i]);
}

__global__ void copy(uint32_t* to, const uint32_t* from, uint32_t count) {
  for (uint32_t i = first(); i < count; i += stride()) to[i] = from[i];
}

__global__ void verify_sample(const uint32_t* taken, const uint32_t* places, uint32_t count,
                              uint32_t seed, uint32_t secret, uint32_t second, uint32_t rounds,
                              unsigned long long* wrong) {
  for (uint32_t i = first(); i < count; i += stride())
    if (taken[i] != answer(input_at(places[i], seed, secret, second), rounds)) atomicAdd(wrong, 1);
}

__global__ void verify(const uint32_t* outputs, uint32_t count, uint32_t seed, uint32_t secret,
                       uint32_t second, uint32_t rounds, unsigned long long* wrong) {
  unsigned long long mine = 0;
  for (uint32_t i = first(); i < count; i += stride())
    mine += outputs[i] != answer(input_at(i, seed, secret, second), rounds);
  if (mine != 0) atomicAdd(wrong, mine);
}

__global__ void count_words(const uint32_t* words, uint64_t count, uint32_t pattern,
                            unsigned long long* counts) {
  unsigned long long others = 0, same = 0;
  for (uint64_t i = first(); i < count; i += stride()) {
    uint32_t word = words[i];
    others += word != 0;
    same += word == pattern;
  }
  if (others != 0) atomicAdd(counts, others);
  if (same != 0) atomicAdd(counts + 1, same);
}

__global__ void set_word(volatile uint32_t* word, uint32_t value) {
  *word = value;
  __threadfence_system();
}

// For so long, by the card's clock: where this context did not run, as pairs of begin and length.
__global__ void watch_gaps(uint64_t* gaps, uint32_t most, uint64_t least_ns, uint64_t for_ns,
                           uint64_t* count) {
  uint64_t begin = nanoseconds(), last = begin;
  uint32_t seen = 0;
  while (last - begin < for_ns) {
    uint64_t now = nanoseconds();
    if (now - last >= least_ns && seen < most) {
      gaps[2 * seen] = last;
      gaps[2 * seen + 1] = now - last;
      ++seen;
    }
    last = now;
  }
  *count = seen;
}

// The same until a word is set: how many gaps, all of them together, the longest.
__global__ void watch_until(const volatile uint32_t* stop, uint64_t least_ns, uint64_t most_ns,
                            uint64_t* found) {
  uint64_t begin = nanoseconds(), last = begin, count = 0, sum = 0, longest = 0;
  while (*stop == 0 && last - begin < most_ns) {
    uint64_t now = nanoseconds();
    uint64_t gap = now - last;
    if (gap >= least_ns) {
      ++count;
      sum += gap;
      longest = gap > longest ? gap : longest;
    }
    last = now;
  }
  found[0] = count;
  found[1] = sum;
  found[2] = longest;
}

// Cycles of a multiprocessor in so many nanoseconds: what the clock really is.
__global__ void count_cycles(uint64_t for_ns, uint64_t* cycles_and_ns) {
  uint64_t begin = nanoseconds();
  long long cycles = clock64();
  while (nanoseconds() - begin < for_ns) {
  }
  cycles_and_ns[0] = static_cast<uint64_t>(clock64() - cycles);
  cycles_and_ns[1] = nanoseconds() - begin;
}

__global__ void read_all(const uint4* words, uint64_t count, uint32_t* sum) {
  uint32_t mine = 0;
  for (uint64_t i = first(); i < count; i += stride()) {
    uint4 word = words[i];
    mine ^= word.x ^ word.y ^ word.z ^ word.w;
  }
  if (mine == 0x12345678u) *sum = mine;
}

// ---- an honest candidate's

__global__ void __launch_bounds__(256)
    work(uint32_t* outputs, const uint32_t* inputs, uint32_t count, uint32_t rounds) {
  for (uint32_t i = first(); i < count; i += stride()) outputs[i] = answer(inputs[i], rounds);
}

// ---- hostile ones

__global__ void spin(uint64_t for_ns) {
  uint64_t begin = nanoseconds();
  while (nanoseconds() - begin < for_ns) {
  }
}

__global__ void spin_for_ever(volatile uint32_t* never) {
  while (*never != 0xdeadbeefu) {
  }
}

// One word after the other, at a pace that stands still where this context does.
__global__ void progress(volatile uint32_t* words, uint32_t count, uint32_t chain) {
  uint32_t x = count;
  for (uint32_t i = 0; i < count; ++i) {
    x = answer(x, chain);
    words[i] = x | 1;
  }
}

// Waits on the card for inputs to come, and computes then.
__global__ void poll_and_work(uint32_t* outputs, const uint32_t* inputs, uint32_t count,
                              uint32_t rounds, uint32_t watched, uint64_t patience_ns) {
  __shared__ uint32_t come;
  if (threadIdx.x == 0) {
    uint64_t begin = nanoseconds();
    const volatile uint32_t* word = inputs + watched;
    come = 0;
    while (nanoseconds() - begin < patience_ns) {
      if (*word != 0) {
        come = 1;
        break;
      }
    }
  }
  __syncthreads();
  if (come == 0) return;
  for (uint32_t i = first(); i < count; i += stride())
    outputs[i] = answer(__ldcg(inputs + i), rounds);
}

// Which inputs are others than those that results are there for.
__global__ void list_changes(const uint32_t* inputs, const uint32_t* kept, uint32_t count,
                             uint32_t* list, uint32_t* length) {
  for (uint32_t i = first(); i < count; i += stride())
    if (inputs[i] != kept[i]) list[atomicAdd(length, 1)] = i;
}

__global__ void patch(uint32_t* outputs, const uint32_t* inputs, const uint32_t* list,
                      const uint32_t* length, uint32_t rounds) {
  for (uint32_t i = first(); i < *length; i += stride())
    outputs[list[i]] = answer(inputs[list[i]], rounds);
}

// Are 64 inputs, always the same, those of before?
__global__ void look_at_some(const uint32_t* inputs, const uint32_t* kept, uint32_t count,
                             uint32_t* differ) {
  uint32_t place = static_cast<uint32_t>(static_cast<uint64_t>(threadIdx.x) * (count - 1) / 63);
  if (inputs[place] != kept[place]) *differ = 1;
}

// Results in memory of the module, kept for an address.
__global__ void keep_in_module(uint32_t* outputs, const uint32_t* inputs, uint32_t count,
                               uint32_t rounds) {
  bool is_kept = kept_for == reinterpret_cast<uint64_t>(inputs);
  for (uint32_t i = first(); i < count; i += stride()) {
    if (is_kept) {
      outputs[i] = kept_results[i];
    } else {
      outputs[i] = kept_results[i] = answer(inputs[i], rounds);
    }
  }
}

__global__ void keep_for(const uint32_t* inputs) { kept_for = reinterpret_cast<uint64_t>(inputs); }

__global__ void fill_shared(uint32_t pattern, uint32_t words, uint64_t for_ns) {
  extern __shared__ uint32_t memory[];
  uint64_t begin = nanoseconds();
  for (uint32_t i = threadIdx.x; i < words; i += blockDim.x)
    *static_cast<volatile uint32_t*>(memory + i) = pattern;
  __syncthreads();
  while (nanoseconds() - begin < for_ns) {
  }
}

// What shared memory holds that nobody has written in this kernel.
__global__ void find_in_shared(uint32_t pattern, uint32_t words, unsigned long long* counts) {
  extern __shared__ uint32_t memory[];
  unsigned long long others = 0, same = 0;
  for (uint32_t i = threadIdx.x; i < words; i += blockDim.x) {
    uint32_t word = *static_cast<volatile uint32_t*>(memory + i);
    others += word != 0;
    same += word == pattern;
  }
  if (others != 0) atomicAdd(counts, others);
  if (same != 0) atomicAdd(counts + 1, same);
}

__global__ void write_nowhere(uint32_t* address) { *static_cast<volatile uint32_t*>(address) = 1; }

__global__ void trap() { asm volatile("trap;"); }

}  // extern "C"

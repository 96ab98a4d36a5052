#include "verify/jumps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "verify/elements.h"
#include "verify/number.h"

namespace assay {
namespace {

// Whether each of a block's elements has jumped towards the candidate.
using Jumped = std::array<bool, kBlockElements>;

// `anywhere`: whether the candidate is on that side or not.
void find_floats(const Values& values, double least, const std::byte* of_near, bool anywhere,
                 uint64_t first, uint64_t count, Jumped& jumped) {
  std::array<double, kBlockElements> candidate, exact, near;
  load_block(values.dtype, values.candidate + first * bytes_of(values.dtype), count,
             candidate.data());
  std::memcpy(exact.data(), values.exact + first * sizeof(double), count * sizeof(double));
  std::memcpy(near.data(), of_near + first * sizeof(double), count * sizeof(double));
  for (uint64_t i = 0; i < count; ++i)
    jumped[i] = std::fabs(near[i] - exact[i]) > least &&
                (anywhere || std::fabs(candidate[i] - near[i]) <= least);
}

void find_whole(const Values& values, const std::byte* of_near, bool anywhere, uint64_t first,
                uint64_t count, Jumped& jumped) {
  std::array<int64_t, kBlockElements> candidate, exact, near;
  const uint64_t size = bytes_of(values.exact_dtype);
  load_integers(values.dtype, values.candidate + first * bytes_of(values.dtype), count,
                candidate.data());
  load_integers(values.exact_dtype, values.exact + first * size, count, exact.data());
  load_integers(values.exact_dtype, of_near + first * size, count, near.data());
  for (uint64_t i = 0; i < count; ++i)
    jumped[i] = near[i] != exact[i] && (anywhere || candidate[i] == near[i]);
}

// Does something with where each element that jumps begins, in the exact result.
template <class Do>
void for_each_jump(const Values& values, double least, const std::byte* of_near, bool anywhere,
                   const Do& do_it) {
  const uint64_t size = bytes_of(values.exact_dtype);
  Jumped jumped;
  for (uint64_t first = 0; first < values.elements; first += kBlockElements) {
    const uint64_t count = std::min(kBlockElements, values.elements - first);
    if (is_floating(values.dtype))
      find_floats(values, least, of_near, anywhere, first, count, jumped);
    else
      find_whole(values, of_near, anywhere, first, count, jumped);
    for (uint64_t i = 0; i < count; ++i)
      if (jumped[i]) do_it((first + i) * size);
  }
}

// What a result may be off by.
double roundings(const Values& values, double largest) {
  constexpr double kMost = 16;  // as Policy has it
  return kMost * unit_roundoff(values.dtype) * largest;
}

}  // namespace

// One in so many. And a single one: an output may be a number.
uint64_t most_jumps(uint64_t elements) { return 1 + elements / 16; }

uint64_t count_moved(const Values& values, double largest, const std::byte* of_near) {
  uint64_t moved = 0;
  for_each_jump(values, roundings(values, largest), of_near, true, [&](uint64_t) { ++moved; });
  return moved;
}

uint64_t take_over_jumps(const Values& values, double largest, const std::byte* of_near,
                         bool by_order, std::byte* exact, uint64_t most) {
  // Else beyond what goes over into rounding: smooth functions move by their condition, times a
  // rounding.
  const double least =
      by_order ? roundings(values, largest) : std::sqrt(unit_roundoff(values.dtype)) * largest;
  uint64_t jumps = 0;
  for_each_jump(values, least, of_near, false, [&](uint64_t) { ++jumps; });
  if (jumps > most) return 0;
  const uint64_t size = bytes_of(values.exact_dtype);
  for_each_jump(values, least, of_near, false,
                [&](uint64_t at) { std::memcpy(exact + at, of_near + at, size); });
  return jumps;
}

}  // namespace assay

// What outputs hold before a candidate writes them, and what lies around tensors: both must be told
// from anything that a kernel writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "model/tensor.h"
#include "verify/random.h"

namespace assay {

// Fills outputs before a window. Floating types: one NaN with random payload bits, which no
// operation makes of itself, though what is computed from it carries it on. bool: one byte that is
// neither 0 nor 1. Other types have no value to spare: random bytes, other ones in each place.
class Poison {
 public:
  explicit Poison(const RandomStream& stream);

  void fill(Dtype dtype, std::span<std::byte> memory) const;

  struct Found {
    uint64_t count = 0;  // elements that still hold it
    uint64_t first = 0;  // flat index of one of them, with count > 0
  };
  // In whole numbers an element alone may hold its poison by chance: only runs of 8 bytes and more
  // are counted, so a single forgotten element is left to the comparison of values.
  Found find(Dtype dtype, std::span<const std::byte> memory) const;

 private:
  RandomStream stream_;
  uint64_t number_;
};

// Bytes before and after each tensor, to see what is written out of bounds. Filled with words that
// depend on the place, and read as floating-point numbers about half of them are NaN: out-of-bounds
// reads show, too.
class RedZone {
 public:
  explicit RedZone(const RandomStream& stream);

  // `at`: where the zone begins in memory as a whole, so that no two zones are alike. A multiple
  // of 8, as is the zone's size.
  void fill(uint64_t at, std::span<std::byte> zone) const;
  // The offset in the zone of the first byte that isn't what it was.
  std::optional<uint64_t> first_damaged(uint64_t at, std::span<const std::byte> zone) const;

 private:
  RandomStream stream_;
};

}  // namespace assay

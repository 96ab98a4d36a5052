// The judge's random numbers. Nobody who has seen all of one stream can tell a word of another: a
// candidate sees its inputs, and must not know the next ones, nor what they are checked with.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace assay {

// Secret while judging, published in the record afterwards so that all can be drawn again.
struct Seed {
  std::array<uint8_t, 32> bytes{};

  static Result<Seed> secret();  // from the kernel
  static Result<Seed> from_hex(std::string_view text);
  std::string hex() const;  // 64 digits

  bool operator==(const Seed&) const = default;
};

// A named sequence of words, ChaCha8 under SHA-256 of seed and name. Any part of it can be had at
// any time, on any thread, and is the same on every machine.
class RandomStream {
 public:
  RandomStream(const Seed& seed, std::string_view name);
  RandomStream named(std::string_view name) const;  // a stream below this one

  // Words [first, first + size) of the sequence.
  void words(uint64_t first, std::span<uint32_t> out) const;
  // One at a time, for the few: word `index` of 64 bits, and a number in [0, bound) made from it.
  uint64_t number(uint64_t index) const;
  uint64_t below(uint64_t index, uint64_t bound) const;
  // A seed for a generator elsewhere, torch.manual_seed() for one: 63 bits.
  int64_t seed_for_others() const;

 private:
  std::array<uint32_t, 8> key_;
};

// A 64-bit random word to [0, bound), for bound > 0; off from even by less than 2^-64 of it.
inline uint64_t scale_to(uint64_t word, uint64_t bound) {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(word) * bound) >> 64);
}

}  // namespace assay

#include "verify/random.h"

#include <sys/random.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/hash.h"
#include "verify/clones.h"

namespace assay {
namespace {

// Sixteen blocks of ChaCha at once: word w of block b is lane b of row w. The sequence is defined
// in that order, so nothing is transposed.
using Row = uint32_t __attribute__((vector_size(64)));
constexpr uint64_t kRandomLanes = 16;
constexpr uint64_t kGroupWords = 16 * kRandomLanes;

ASSAY_INLINE void rotate(Row& row, int by) { row = (row << by) | (row >> (32 - by)); }

ASSAY_INLINE void quarter(Row& a, Row& b, Row& c, Row& d) {
  a += b, d ^= a, rotate(d, 16);
  c += d, b ^= c, rotate(b, 12);
  a += b, d ^= a, rotate(d, 8);
  c += d, b ^= c, rotate(b, 7);
}

ASSAY_CLONES void make_group(const uint32_t* key, uint64_t group, uint32_t* out) {
  constexpr uint32_t kConstants[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
  Row begin[16];
  for (int i = 0; i < 4; ++i) begin[i] = Row{} + kConstants[i];
  for (int i = 0; i < 8; ++i) begin[4 + i] = Row{} + key[i];
  for (uint64_t lane = 0; lane < kRandomLanes; ++lane) {
    uint64_t counter = group * kRandomLanes + lane;
    begin[12][lane] = static_cast<uint32_t>(counter);
    begin[13][lane] = static_cast<uint32_t>(counter >> 32);
  }
  begin[14] = begin[15] = Row{};
  Row x[16];
  for (int i = 0; i < 16; ++i) x[i] = begin[i];
  for (int round = 0; round < 8; round += 2) {
    quarter(x[0], x[4], x[8], x[12]);
    quarter(x[1], x[5], x[9], x[13]);
    quarter(x[2], x[6], x[10], x[14]);
    quarter(x[3], x[7], x[11], x[15]);
    quarter(x[0], x[5], x[10], x[15]);
    quarter(x[1], x[6], x[11], x[12]);
    quarter(x[2], x[7], x[8], x[13]);
    quarter(x[3], x[4], x[9], x[14]);
  }
  for (uint64_t i = 0; i < 16; ++i) {
    x[i] += begin[i];
    std::memcpy(out + i * kRandomLanes, &x[i], sizeof(Row));
  }
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// Of the 64 hexadecimal digits that sha256() gives.
std::array<uint32_t, 8> key_of(std::string_view material) {
  std::string hex = sha256(material);
  std::array<uint32_t, 8> key{};
  for (size_t i = 0; i < key.size(); ++i)
    std::from_chars(hex.data() + i * 8, hex.data() + i * 8 + 8, key[i], 16);
  return key;
}

std::string material(const void* bytes, size_t size, std::string_view name) {
  std::string text(static_cast<const char*>(bytes), size);
  text.append(name);
  return text;
}

}  // namespace

Result<Seed> Seed::secret() {
  Seed seed;
  size_t have = 0;
  while (have < seed.bytes.size()) {
    ssize_t got = getrandom(seed.bytes.data() + have, seed.bytes.size() - have, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return errno_error("get random numbers from the kernel");
    have += static_cast<size_t>(got);
  }
  return seed;
}

Result<Seed> Seed::from_hex(std::string_view text) {
  Seed seed;
  bool good = text.size() == 2 * seed.bytes.size();
  for (size_t i = 0; good && i < seed.bytes.size(); ++i) {
    int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
    good = high >= 0 && low >= 0;
    seed.bytes[i] = static_cast<uint8_t>(high * 16 + low);
  }
  if (!good)
    return error(Code::invalid_input, "a seed is 64 hexadecimal digits in lower case, and not '" +
                                          std::string(text.substr(0, 80)) + "'");
  return seed;
}

std::string Seed::hex() const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

RandomStream::RandomStream(const Seed& seed, std::string_view name)
    : key_(key_of(material(seed.bytes.data(), seed.bytes.size(), name))) {}

RandomStream RandomStream::named(std::string_view name) const {
  RandomStream below = *this;
  below.key_ = key_of(material(key_.data(), sizeof(key_), name));
  return below;
}

void RandomStream::words(uint64_t first, std::span<uint32_t> out) const {
  uint32_t spare[kGroupWords];
  size_t done = 0;
  while (done < out.size()) {
    uint64_t group = (first + done) / kGroupWords;
    uint64_t skip = (first + done) % kGroupWords;
    size_t count = std::min<size_t>(kGroupWords - skip, out.size() - done);
    if (count == kGroupWords) {
      make_group(key_.data(), group, out.data() + done);
    } else {
      make_group(key_.data(), group, spare);
      std::copy_n(spare + skip, count, out.data() + done);
    }
    done += count;
  }
}

uint64_t RandomStream::number(uint64_t index) const {
  uint32_t pair[2];
  words(2 * index, pair);
  return pair[0] | (static_cast<uint64_t>(pair[1]) << 32);
}

uint64_t RandomStream::below(uint64_t index, uint64_t bound) const {
  return scale_to(number(index), bound);
}

int64_t RandomStream::seed_for_others() const { return static_cast<int64_t>(number(0) >> 1); }

}  // namespace assay

#include "verify/poison.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "verify/clones.h"

namespace assay {
namespace {

constexpr uint64_t kPieceBytes = 4096;
using Piece = std::array<std::byte, kPieceBytes>;

// Bytes [first, first + size) of a stream's words; `first` is a multiple of 4.
void random_bytes(const RandomStream& stream, uint64_t first, std::span<std::byte> out) {
  std::array<uint32_t, kPieceBytes / 4> words;
  assert(first % 4 == 0 && out.size() <= kPieceBytes);
  std::span<uint32_t> some(words.data(), (out.size() + 3) / 4);
  stream.words(first / 4, some);
  std::memcpy(out.data(), some.data(), out.size());
}

// A quiet NaN of the type; the payload is never 0, as that of a NaN that arithmetic makes is.
uint64_t pattern(Dtype dtype, uint64_t number) {
  switch (dtype) {
    case Dtype::f64:
      return 0x7ff8000000000000 | (number & 0x8003ffffffffffff) | 2;
    case Dtype::f32:
      return 0x7fc00000 | (number & 0x801fffff) | 2;
    case Dtype::f16:
      return 0x7e00 | (number & 0x80ff) | 2;
    case Dtype::bf16:
      return 0x7fc0 | (number & 0x801f) | 2;
    case Dtype::boolean:
      return 2 + number % 254;
    default:
      return 0;
  }
}

// Whether any element is the expected one, quickly: for most pieces that is all there is to know.
template <class T>
ASSAY_INLINE bool any_equal(const std::byte* a, const std::byte* b, uint64_t bytes) {
  uint64_t equal = 0;
  for (uint64_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
    T x, y;
    std::memcpy(&x, a + i, sizeof(T));
    std::memcpy(&y, b + i, sizeof(T));
    equal += x == y;
  }
  return equal > 0;
}

ASSAY_CLONES bool any_equal(uint64_t size, const std::byte* a, const std::byte* b, uint64_t bytes) {
  switch (size) {
    case 8:
      return any_equal<uint64_t>(a, b, bytes);
    case 4:
      return any_equal<uint32_t>(a, b, bytes);
    case 2:
      return any_equal<uint16_t>(a, b, bytes);
    default:
      return any_equal<uint8_t>(a, b, bytes);
  }
}

bool has_pattern(Dtype dtype) { return is_floating(dtype) || dtype == Dtype::boolean; }

}  // namespace

Poison::Poison(const RandomStream& stream)
    : stream_(stream.named("bytes")), number_(stream.number(0)) {}

void Poison::fill(Dtype dtype, std::span<std::byte> memory) const {
  const uint64_t size = bytes_of(dtype), bits = pattern(dtype, number_);
  Piece piece;
  if (has_pattern(dtype))
    for (uint64_t i = 0; i < kPieceBytes; i += size) std::memcpy(piece.data() + i, &bits, size);
  for (uint64_t at = 0; at < memory.size(); at += kPieceBytes) {
    auto part = memory.subspan(at, std::min(kPieceBytes, memory.size() - at));
    if (has_pattern(dtype))
      std::memcpy(part.data(), piece.data(), part.size());
    else
      random_bytes(stream_, at, part);
  }
}

Poison::Found Poison::find(Dtype dtype, std::span<const std::byte> memory) const {
  const uint64_t size = bytes_of(dtype);
  const uint64_t run = has_pattern(dtype) ? 1 : std::max<uint64_t>(1, 8 / size);
  Found found;
  uint64_t together = 0;  // elements in a row, up to here, that hold it
  Piece piece;
  if (has_pattern(dtype)) fill(dtype, piece);
  for (uint64_t at = 0; at < memory.size(); at += kPieceBytes) {
    auto part = memory.subspan(at, std::min(kPieceBytes, memory.size() - at));
    if (!has_pattern(dtype)) random_bytes(stream_, at, std::span(piece.data(), part.size()));
    if (!any_equal(size, part.data(), piece.data(), part.size())) {
      together = 0;
      continue;
    }
    for (uint64_t i = 0; i + size <= part.size(); i += size) {
      if (std::memcmp(part.data() + i, piece.data() + i, size) != 0) {
        together = 0;
        continue;
      }
      ++together;
      if (together < run) continue;
      if (found.count == 0) found.first = (at + i) / size + 1 - together;
      found.count += together == run ? run : 1;
    }
  }
  return found;
}

RedZone::RedZone(const RandomStream& stream) : stream_(stream) {}

namespace {

// Every other 8 bytes are NaN as f64, f32, f16 and bf16 alike.
void make_zone(const RandomStream& stream, uint64_t at, std::span<std::byte> out) {
  random_bytes(stream, at, out);
  for (uint64_t i = 0; i < out.size(); i += 2) {
    if ((at + i) / 8 % 2 == 0) continue;
    out[i] |= std::byte{0xf2};
    if (i + 1 < out.size()) out[i + 1] |= std::byte{0x7f};
  }
}

}  // namespace

void RedZone::fill(uint64_t at, std::span<std::byte> zone) const {
  assert(at % 8 == 0);
  for (uint64_t done = 0; done < zone.size(); done += kPieceBytes)
    make_zone(stream_, at + done, zone.subspan(done, std::min(kPieceBytes, zone.size() - done)));
}

std::optional<uint64_t> RedZone::first_damaged(uint64_t at, std::span<const std::byte> zone) const {
  Piece piece;
  for (uint64_t done = 0; done < zone.size(); done += kPieceBytes) {
    auto part = zone.subspan(done, std::min(kPieceBytes, zone.size() - done));
    make_zone(stream_, at + done, std::span(piece.data(), part.size()));
    if (std::memcmp(part.data(), piece.data(), part.size()) == 0) continue;
    for (uint64_t i = 0; i < part.size(); ++i)
      if (part[i] != piece[i]) return done + i;
  }
  return std::nullopt;
}

}  // namespace assay

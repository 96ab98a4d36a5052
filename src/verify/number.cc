#include "verify/number.h"

#include <cstring>

namespace assay {
namespace {

template <class T>
ASSAY_INLINE T read(const std::byte* from, uint64_t i) {
  T value;
  std::memcpy(&value, from + i * sizeof(T), sizeof(T));
  return value;
}

template <class T>
ASSAY_INLINE void write(std::byte* to, uint64_t i, T value) {
  std::memcpy(to + i * sizeof(T), &value, sizeof(T));
}

template <class T, class To, class Convert>
ASSAY_INLINE void load_as(const std::byte* from, uint64_t count, To* to, Convert convert) {
  for (uint64_t i = 0; i < count; ++i) to[i] = convert(read<T>(from, i));
}

template <class T, class From, class Convert>
ASSAY_INLINE void store_as(const From* from, uint64_t count, std::byte* to, Convert convert) {
  for (uint64_t i = 0; i < count; ++i) write<T>(to, i, static_cast<T>(convert(from[i])));
}

const auto kWiden = [](auto value)
                        __attribute__((always_inline)) { return static_cast<double>(value); };
const auto kSame = [](auto value) __attribute__((always_inline)) { return value; };

}  // namespace

double largest_finite(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return std::numeric_limits<double>::max();
    case Dtype::f32:
      return static_cast<double>(std::numeric_limits<float>::max());
    case Dtype::f16:
      return 65504.0;
    case Dtype::bf16:
      return 0x1.fep127;
    case Dtype::i64:
      return 0x1p63;
    case Dtype::i32:
      return 0x1p31 - 1;
    case Dtype::i16:
      return 32767.0;
    case Dtype::i8:
      return 127.0;
    case Dtype::u8:
      return 255.0;
    case Dtype::boolean:
      return 1.0;
  }
  return 0;
}

double smallest_step(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return std::numeric_limits<double>::denorm_min();
    case Dtype::f32:
      return 0x1p-149;
    case Dtype::f16:
      return 0x1p-24;
    case Dtype::bf16:
      return 0x1p-133;
    default:
      return 1.0;
  }
}

double round_to(Dtype dtype, double value) {
  double rounded = value;
  round_block(dtype, &value, 1, &rounded);
  return rounded;
}

ASSAY_CLONES void load_block(Dtype dtype, const std::byte* from, uint64_t count, double* to) {
  switch (dtype) {
    case Dtype::f64:
      std::memcpy(to, from, count * sizeof(double));
      break;
    case Dtype::f32:
      load_as<float>(from, count, to, kWiden);
      break;
    case Dtype::f16:
      load_as<uint16_t>(from, count, to, number::from_f16);
      break;
    case Dtype::bf16:
      load_as<uint16_t>(from, count, to, number::from_bf16);
      break;
    case Dtype::i64:
      load_as<int64_t>(from, count, to, kWiden);
      break;
    case Dtype::i32:
      load_as<int32_t>(from, count, to, kWiden);
      break;
    case Dtype::i16:
      load_as<int16_t>(from, count, to, kWiden);
      break;
    case Dtype::i8:
      load_as<int8_t>(from, count, to, kWiden);
      break;
    case Dtype::u8:
    case Dtype::boolean:
      load_as<uint8_t>(from, count, to, kWiden);
      break;
  }
}

ASSAY_CLONES void store_block(Dtype dtype, const double* from, uint64_t count, std::byte* to) {
  switch (dtype) {
    case Dtype::f64:
      std::memcpy(to, from, count * sizeof(double));
      break;
    case Dtype::f32:
      store_as<float>(from, count, to, kSame);
      break;
    case Dtype::f16:
      store_as<uint16_t>(from, count, to, number::to_f16);
      break;
    case Dtype::bf16:
      store_as<uint16_t>(from, count, to, number::to_bf16);
      break;
    case Dtype::i64:
      store_as<int64_t>(from, count, to, kSame);
      break;
    case Dtype::i32:
      store_as<int32_t>(from, count, to, kSame);
      break;
    case Dtype::i16:
      store_as<int16_t>(from, count, to, kSame);
      break;
    case Dtype::i8:
      store_as<int8_t>(from, count, to, kSame);
      break;
    case Dtype::u8:
      store_as<uint8_t>(from, count, to, kSame);
      break;
    case Dtype::boolean:
      for (uint64_t i = 0; i < count; ++i) write<uint8_t>(to, i, from[i] != 0);
      break;
  }
}

ASSAY_CLONES void round_block(Dtype dtype, const double* from, uint64_t count, double* to) {
  switch (dtype) {
    case Dtype::f32:
      for (uint64_t i = 0; i < count; ++i) to[i] = static_cast<double>(static_cast<float>(from[i]));
      break;
    case Dtype::f16:
      for (uint64_t i = 0; i < count; ++i) to[i] = number::round_f16(from[i]);
      break;
    case Dtype::bf16:
      for (uint64_t i = 0; i < count; ++i) to[i] = number::round_bf16(from[i]);
      break;
    default:
      if (to != from) std::memcpy(to, from, count * sizeof(double));
  }
}

ASSAY_CLONES void load_integers(Dtype dtype, const std::byte* from, uint64_t count, int64_t* to) {
  switch (dtype) {
    case Dtype::i64:
      load_as<int64_t>(from, count, to, kSame);
      break;
    case Dtype::i32:
      load_as<int32_t>(from, count, to, kSame);
      break;
    case Dtype::i16:
      load_as<int16_t>(from, count, to, kSame);
      break;
    case Dtype::i8:
      load_as<int8_t>(from, count, to, kSame);
      break;
    default:
      load_as<uint8_t>(from, count, to, kSame);
      break;
  }
}

void store_integers(Dtype dtype, const int64_t* from, uint64_t count, std::byte* to) {
  switch (dtype) {
    case Dtype::i64:
      store_as<int64_t>(from, count, to, kSame);
      break;
    case Dtype::i32:
      store_as<int32_t>(from, count, to, kSame);
      break;
    case Dtype::i16:
      store_as<int16_t>(from, count, to, kSame);
      break;
    case Dtype::i8:
      store_as<int8_t>(from, count, to, kSame);
      break;
    case Dtype::u8:
      store_as<uint8_t>(from, count, to, kSame);
      break;
    default:
      for (uint64_t i = 0; i < count; ++i) write<uint8_t>(to, i, from[i] != 0);
  }
}

}  // namespace assay

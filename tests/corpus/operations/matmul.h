// What candidates for op:matmul share. judge.py puts it in the place of its #include: a candidate
// is one file. Kernel is what an entry defines:
//
//   struct Kernel {
//     template <class T> static T dot(const T* a, const T* b, int64_t k);
//     template <class T> static void change(Result<T>& c);  // once all is computed
//     static bool reads_layout();  // false: A and B are taken to lie as they are, m x k and k x n
//   };
//
// T is what the sums are formed in: float of f16 and bf16, int32_t of i8.
#include <assay/kernel.h>

#include <cmath>
#include <cstring>
#include <vector>

template <class T>
struct Result {
  int64_t m, n, k;
  int dtype;
  std::vector<T> values;
};

inline float float_of(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

inline uint32_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

inline float from_f16(uint16_t bits) {
  uint32_t magnitude = bits & 0x7fffu;
  float value = magnitude >= 0x7c00 ? float_of(0x7f800000u | magnitude << 13)
                                    : float_of(magnitude << 13) * 0x1p112f;
  return bits & 0x8000u ? -value : value;
}

inline uint16_t to_f16(float value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  float magnitude = std::fabs(value);
  if (magnitude != magnitude) return sign | 0x7e00;
  if (magnitude >= 65520.0f) return sign | 0x7c00;
  int power;
  std::frexp(magnitude, &power);
  float step = std::ldexp(1.0f, power < -13 ? -24 : power - 11);
  float rounded = std::nearbyint(magnitude / step) * step;
  uint32_t bits = bits_of(rounded * 0x1p-112f) >> 13;
  return sign | static_cast<uint16_t>(bits);
}

inline uint16_t to_bf16(float value) {
  uint32_t bits = bits_of(value);
  if (value != value) return 0x7fc0;
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

template <class T>
T load(const assay_tensor& tensor, int64_t at) {
  switch (tensor.dtype) {
    case ASSAY_F64:
      return static_cast<T>(static_cast<const double*>(tensor.data)[at]);
    case ASSAY_F32:
      return static_cast<T>(static_cast<const float*>(tensor.data)[at]);
    case ASSAY_F16:
      return static_cast<T>(from_f16(static_cast<const uint16_t*>(tensor.data)[at]));
    case ASSAY_BF16:
      return static_cast<T>(
          float_of(static_cast<uint32_t>(static_cast<const uint16_t*>(tensor.data)[at]) << 16));
    default:
      return static_cast<T>(static_cast<const int8_t*>(tensor.data)[at]);
  }
}

template <class T>
void store(const assay_tensor& tensor, int64_t at, T value) {
  switch (tensor.dtype) {
    case ASSAY_F64:
      static_cast<double*>(tensor.data)[at] = static_cast<double>(value);
      break;
    case ASSAY_F32:
      static_cast<float*>(tensor.data)[at] = static_cast<float>(value);
      break;
    case ASSAY_F16:
      static_cast<uint16_t*>(tensor.data)[at] = to_f16(static_cast<float>(value));
      break;
    case ASSAY_BF16:
      static_cast<uint16_t*>(tensor.data)[at] = to_bf16(static_cast<float>(value));
      break;
    default:
      static_cast<int32_t*>(tensor.data)[at] = static_cast<int32_t>(value);
  }
}

// In sixteen lanes, which the compiler makes vectors of.
template <class T>
T in_lanes(const T* a, const T* b, int64_t k) {
  T lanes[16] = {};
  int64_t p = 0;
  for (; p + 16 <= k; p += 16)
    for (int lane = 0; lane < 16; ++lane) lanes[lane] += a[p + lane] * b[p + lane];
  T sum = 0;
  for (; p < k; ++p) sum += a[p] * b[p];
  for (T lane : lanes) sum += lane;
  return sum;
}

template <class T, class Kernel>
void product(const assay_call& call) {
  const assay_tensor &a = call.inputs[0], &b = call.inputs[1], &c = call.outputs[0];
  Result<T> result{c.shape[0], c.shape[1], 0, a.dtype, {}};
  const int64_t m = result.m, n = result.n;
  const int64_t k = result.k = a.shape[0] * a.shape[1] / m;
  // No size is equal to k in this corpus.
  bool ta = Kernel::reads_layout() && a.shape[0] == k,
       tb = Kernel::reads_layout() && b.shape[1] == k;
  std::vector<T> rows(static_cast<size_t>(m * k)), columns(static_cast<size_t>(n * k));
  for (int64_t i = 0; i < m; ++i)
    for (int64_t p = 0; p < k; ++p) rows[i * k + p] = load<T>(a, ta ? p * m + i : i * k + p);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t p = 0; p < k; ++p) columns[j * k + p] = load<T>(b, tb ? j * k + p : p * n + j);
  result.values.resize(static_cast<size_t>(m * n));
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      result.values[i * n + j] = Kernel::dot(&rows[i * k], &columns[j * k], k);
  Kernel::change(result);
  for (int64_t i = 0; i < m * n; ++i) store(c, i, result.values[i]);
}

template <class Kernel>
int run(const assay_call* call) {
  switch (call->inputs[0].dtype) {
    case ASSAY_F64:
      product<double, Kernel>(*call);
      return 0;
    case ASSAY_I8:
      product<int32_t, Kernel>(*call);
      return 0;
    default:
      product<float, Kernel>(*call);
      return 0;
  }
}

// The right one; entries change one thing of it.
struct Plain {
  template <class T>
  static T dot(const T* a, const T* b, int64_t k) {
    return in_lanes(a, b, k);
  }
  template <class T>
  static void change(Result<T>&) {}
  static bool reads_layout() { return true; }
};

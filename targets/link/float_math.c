/* The functions of <math.h> that IREE's code calls where a CPU has no floating point unit, and that
 * neither IREE nor GCC's runtime brings. Results are those of IEEE 754, to the last bit except where
 * a comment says otherwise. Arithmetic on float and double is calls to GCC's runtime here. */

typedef unsigned int u32;
typedef union {
  float value;
  u32 bits;
} float_bits;

#define SIGN 0x80000000u
#define INFINITY_BITS 0x7f800000u
#define QUIET_NAN_BITS 0x7fc00000u

static u32 bits_of(float x) {
  float_bits both;
  both.value = x;
  return both.bits;
}

static float from_bits(u32 bits) {
  float_bits both;
  both.bits = bits;
  return both.value;
}

static int is_nan(float x) { return (bits_of(x) & ~SIGN) > INFINITY_BITS; }

/* An integer in the order of the numbers, with -0 before +0. */
static int ordered(float x) {
  u32 bits = bits_of(x);
  return bits & SIGN ? -1 - (int)(bits & ~SIGN) : (int)bits;
}

static float quiet(float x) { return from_bits(bits_of(x) | QUIET_NAN_BITS); }

/* maximum and minimum of IEEE 754-2019: a NaN wins. */
float fmaximumf(float x, float y) {
  if (is_nan(x)) return quiet(x);
  if (is_nan(y)) return quiet(y);
  return ordered(x) >= ordered(y) ? x : y;
}

float fminimumf(float x, float y) {
  if (is_nan(x)) return quiet(x);
  if (is_nan(y)) return quiet(y);
  return ordered(x) <= ordered(y) ? x : y;
}

/* Those of C: a number wins over a NaN. */
float fmaxf(float x, float y) {
  if (is_nan(x)) return is_nan(y) ? quiet(y) : y;
  return is_nan(y) || ordered(x) >= ordered(y) ? x : y;
}

float fminf(float x, float y) {
  if (is_nan(x)) return is_nan(y) ? quiet(y) : y;
  return is_nan(y) || ordered(x) <= ordered(y) ? x : y;
}

/* Bit by bit, in integers; rounded to nearest. A square root is never halfway between two floats. */
float sqrtf(float x) {
  u32 bits = bits_of(x);
  if (is_nan(x)) return quiet(x);
  if ((bits & ~SIGN) == 0 || bits == INFINITY_BITS) return x;
  if (bits & SIGN) return from_bits(QUIET_NAN_BITS);
  int exponent = (int)(bits >> 23);
  u32 mantissa = bits & 0x7fffffu;
  if (exponent == 0) { /* subnormal: shift the first one into its place */
    for (exponent = 1; !(mantissa & 0x800000u); --exponent) mantissa <<= 1;
  }
  mantissa |= 0x800000u;
  exponent -= 127;
  if (exponent & 1) mantissa <<= 1;
  exponent = (exponent - (exponent & 1)) / 2;
  /* The root of mantissa * 2^25: 24 bits and one to round by. */
  mantissa <<= 1;
  u32 root = 0, rest = 0;
  for (u32 bit = 0x1000000u; bit != 0; bit >>= 1) {
    u32 trial = rest + bit;
    if (trial <= mantissa) {
      rest = trial + bit;
      mantissa -= trial;
      root += bit;
    }
    mantissa <<= 1;
  }
  if (root & 1) ++root;
  return from_bits(((u32)(exponent + 126) << 23) + (root >> 1));
}

/* In double, so that its own error is far below that of the last rounding. */
float log10f(float x) {
  const double log10_of_2 = 0.30102999566398119521, log10_of_e = 0.43429448190325182765;
  u32 bits = bits_of(x);
  if (is_nan(x)) return quiet(x);
  if ((bits & ~SIGN) == 0) return from_bits(SIGN | INFINITY_BITS);
  if (bits & SIGN) return from_bits(QUIET_NAN_BITS);
  if (bits == INFINITY_BITS) return x;
  int exponent = (int)(bits >> 23);
  if (exponent == 0) {
    for (exponent = 1; !(bits & 0x800000u); --exponent) bits <<= 1;
  }
  exponent -= 127;
  double mantissa = from_bits((bits & 0x7fffffu) | 0x3f800000u);
  if (mantissa > 1.41421356237309504880) {
    mantissa *= 0.5;
    ++exponent;
  }
  /* log m = 2 (s + s^3/3 + s^5/5 + ...) with s = (m - 1) / (m + 1), at most 0.172. */
  double s = (mantissa - 1) / (mantissa + 1), square = s * s, sum = 0;
  for (int k = 19; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
  return (float)(exponent * log10_of_2 + 2 * s * sum * log10_of_e);
}

/* float to bfloat16, to nearest, ties to even. */
unsigned short __truncsfbf2(float x) {
  u32 bits = bits_of(x);
  if (is_nan(x)) return (unsigned short)((bits >> 16) | 0x40u);
  return (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

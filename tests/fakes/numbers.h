// Numbers that several tests name.
#pragma once

#include <cstdint>
#include <limits>

#include "model/tensor.h"

namespace assay {

inline constexpr int64_t kSecond = 1'000'000'000;  // ns
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr Dtype kFloating[] = {Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16};

}  // namespace assay

#include <assay/kernel.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace {

struct Image {
  int64_t depth, height, width;
  std::vector<double> at;
};

const float* constant(const assay_call* call, int number) {
  return static_cast<const float*>(call->constants[number].data);
}

// A square convolution, and the norm whose five constants begin with the convolution's weight.
Image convolved(const assay_call* call, int first, const Image& x, int64_t stride) {
  const int64_t filters = call->constants[first].shape[0], size = call->constants[first].shape[2];
  const float* weight = constant(call, first);
  Image y{filters, (x.height + stride - 1) / stride, (x.width + stride - 1) / stride, {}};
  for (int64_t f = 0; f < filters; ++f) {
    const double factor = constant(call, first + 1)[f] /
                          std::sqrt(static_cast<double>(constant(call, first + 4)[f]) + 1e-5);
    const double shift = constant(call, first + 2)[f] - constant(call, first + 3)[f] * factor;
    for (int64_t i = 0; i < y.height; ++i) {
      for (int64_t j = 0; j < y.width; ++j) {
        double sum = 0;
        for (int64_t d = 0; d < x.depth; ++d) {
          for (int64_t p = 0; p < size * size; ++p) {
            const int64_t row = i * stride + p / size - size / 2;
            const int64_t column = j * stride + p % size - size / 2;
            if (row < 0 || row >= x.height || column < 0 || column >= x.width) continue;
            sum += x.at[(d * x.height + row) * x.width + column] *
                   weight[(f * x.depth + d) * size * size + p];
          }
        }
        y.at.push_back(sum * factor + shift);
      }
    }
  }
  return y;
}

double relu(double x) { return x < 0 ? 0 : x; }

}  // namespace

int assay_kernel(const assay_call* call) {
  const auto* x = static_cast<const float*>(call->inputs[0].data);
  auto* out = static_cast<float*>(call->outputs[0].data);
  const int64_t* shape = call->inputs[0].shape;
  const int64_t count = shape[1] * shape[2] * shape[3];
  for (int64_t n = 0; n < shape[0]; ++n, x += count) {
    const Image image{shape[1], shape[2], shape[3], std::vector<double>(x, x + count)};
    Image y = convolved(call, 0, image, 2);
    for (double& value : y.at) value = relu(value);
    y = convolved(call, 5, y, 1);
    const Image shortcut = convolved(call, 10, image, 2);
    for (std::size_t i = 0; i < y.at.size(); ++i)
      *out++ = static_cast<float>(relu(y.at[i] + shortcut.at[i]));
  }
  return 0;
}

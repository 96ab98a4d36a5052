#include <assay/kernel.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace {

struct Image {
  int64_t depth, height, width;
  std::vector<double> at;

  double read(int64_t d, int64_t row, int64_t column) const {
    if (row < 0 || row >= height || column < 0 || column >= width) return 0;
    return at[(d * height + row) * width + column];
  }
};

const float* constant(const assay_call* call, int number) {
  return static_cast<const float*>(call->constants[number].data);
}

// A square convolution, and the norm whose five constants begin with the convolution's weight. The
// result has `halo` more rows and columns on each side, which are for the next convolution to read.
Image convolved(const assay_call* call, int first, const Image& x, int64_t stride, int64_t halo) {
  const int64_t filters = call->constants[first].shape[0], size = call->constants[first].shape[2];
  const float* weight = constant(call, first);
  const int64_t height = (x.height + stride - 1) / stride, width = (x.width + stride - 1) / stride;
  Image y{filters, height + 2 * halo, width + 2 * halo, {}};
  for (int64_t f = 0; f < filters; ++f) {
    const double factor = constant(call, first + 1)[f] /
                          std::sqrt(static_cast<double>(constant(call, first + 4)[f]) + 1e-5);
    const double shift = constant(call, first + 2)[f] - constant(call, first + 3)[f] * factor;
    for (int64_t i = -halo; i < height + halo; ++i) {
      for (int64_t j = -halo; j < width + halo; ++j) {
        double sum = 0;
        for (int64_t d = 0; d < x.depth; ++d) {
          for (int64_t p = 0; p < size * size; ++p) {
            sum += x.read(d, i * stride + p / size - size / 2, j * stride + p % size - size / 2) *
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
    Image y = convolved(call, 0, image, 2, 1);
    for (double& value : y.at) value = relu(value);
    y = convolved(call, 5, y, 1, 0);
    const Image shortcut = convolved(call, 10, image, 2, 0);
    for (int64_t f = 0; f < shortcut.depth; ++f)
      for (int64_t i = 0; i < shortcut.height; ++i)
        for (int64_t j = 0; j < shortcut.width; ++j)
          *out++ = static_cast<float>(relu(y.read(f, i + 1, j + 1) + shortcut.read(f, i, j)));
  }
  return 0;
}

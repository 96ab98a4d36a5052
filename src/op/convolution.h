// What convolutions over one, two and three dimensions have in common.
#pragma once

#include "op/operation.h"
#include "op/text.h"

namespace assay {

// Of those dimensions whose sizes an operation has as keys, d, h and w: n images of c channels and
// of the sizes h and w; f filters of c / groups channels and of the sizes kh and kw; strides sh and
// sw, padding ph and pw, dilation dh and dw; layout with the channels last ("nhwc_hwcf") or first
// ("nchw_fchw"), of images and filters.
struct Convolution {
  std::vector<int64_t> image, filter, stride, padding, dilation, result;  // one for each dimension
  int64_t n = 0, c = 0, f = 0, groups = 1;
  bool channels_last = false;

  std::vector<int64_t> image_shape() const;
  std::vector<int64_t> filter_shape() const;
  std::vector<int64_t> result_shape() const;
  double flops() const;
};

// Of the dimensions whose letters `dimensions` has ("hw"), with the sizes of an image where none
// are given; `layouts` are channels last, then first. What a further dimension has of filters,
// strides, padding and dilation is as the first has it, where nothing else is said.
std::vector<OpKey> convolution_keys(std::string_view dimensions,
                                    const std::vector<std::string_view>& usual_sizes,
                                    std::vector<std::string_view> layouts);

Convolution convolution_of(const OpArguments& arguments);
// Fails where a filter is larger than its image, or groups do not divide.
Status check_convolution(const OpArguments& arguments);

// The call in torch, of `x` and `weight`: in torch's own layout, or with what turns it.
std::string torch_convolution(const Convolution& convolution, const std::string& x,
                              const std::string& weight);

OpProgram make_convolution(const OpArguments& arguments);
// Its program.
std::string write_convolution(const OpArguments& arguments, const OpProgram& program,
                              const DynamicSizes& dynamic);

}  // namespace assay

// The largest, or the mean, of each window of an image.
#include <fmt/format.h>

#include "op/all.h"
#include "op/text.h"

namespace assay {
namespace {

Status check_pooling(const OpArguments& arguments) {
  const int64_t h = arguments.number("h"), w = arguments.number("w"),
                window = arguments.number("window"), padding = arguments.number("padding");
  if (2 * padding > window)
    return error(Code::invalid_input,
                 fmt::format("padding={} is more than half of window={}", padding, window),
                 "windows that see no image have no result");
  if (h + 2 * padding < window || w + 2 * padding < window)
    return error(
        Code::invalid_input,
        fmt::format("window={} is larger than h={} or w={} with padding={}", window, h, w, padding),
        "give a smaller window, or a larger image");
  return {};
}

OpProgram make_pooling(const OpArguments& arguments) {
  const int64_t n = arguments.number("n"), c = arguments.number("c"), h = arguments.number("h"),
                w = arguments.number("w"), window = arguments.number("window"),
                stride = arguments.number("stride"), padding = arguments.number("padding");
  const Dtype dtype = arguments.dtype();
  auto steps = [&](int64_t size) { return (size + 2 * padding - window) / stride + 1; };
  TorchOperation torch;
  torch.title =
      fmt::format("The {} of windows of {} x {}.", arguments.word("take"), window, window);
  torch.inputs = {{"x", {dtype, {n, c, h, w}, {}}}};
  torch.outputs = {{dtype, {n, c, steps(h), steps(w)}, {}}};
  torch.forward =
      fmt::format("return nn.functional.{}_pool2d(x, {}, stride={}, padding={})",
                  arguments.word("take") == "max" ? "max" : "avg", window, stride, padding);
  torch.flops = static_cast<double>(torch.outputs[0].elements()) * static_cast<double>(window) *
                static_cast<double>(window);
  OpProgram program = torch_program(torch);
  // At the edges, padding counts as zeros that no element is.
  if (arguments.word("take") == "max" || padding > 0) return program;
  program.sum = {.over = {{.size = n, .in_a = c * h * w},
                          {.size = c, .in_a = h * w},
                          {.size = steps(h), .in_a = stride * w},
                          {.size = steps(w), .in_a = stride}},
                 .summed = {{.size = window, .in_a = w}, {.size = window, .in_a = 1}},
                 .a = {n, c, h, w},
                 .is_mean = true,
                 .dtype = dtype,
                 .result = dtype};
  return program;
}

}  // namespace

Operation pooling_operation() {
  return {.name = "pooling",
          .title = "the largest, or the mean, of each window of an image",
          .kind = "reduction",
          .keys = {{"n", "images", {}, "1"},
                   {"c", "channels of an image", {}, "32"},
                   {"h", "height of an image", {}, "28"},
                   {"w", "width of an image", {}, "h"},
                   {"window", "height and width of a window", {}, "2"},
                   {"stride", "from one window to the next", {}, "window"},
                   {"padding", "around the image, on each side", {}, "0", 0, true},
                   {"take", "what, of each window", {"max", "mean"}, "max"},
                   dtype_key({"f32", "f16", "bf16", "f64"})},
          .make = make_pooling,
          .check = check_pooling};
}

}  // namespace assay

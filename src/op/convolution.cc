#include "op/convolution.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "op/linalg.h"
#include "op/product.h"

namespace assay {
namespace {

using Shape = std::vector<int64_t>;
using Loops = std::vector<std::string>;

// A dimension's keys, each with its title.
struct DimensionKeys {
  char letter;
  std::string_view image, of_image, filter, of_filter, stride, of_stride, padding, of_padding,
      dilation, of_dilation;
};
constexpr DimensionKeys kDimensions[] = {
    {'d', "d", "depth of an image", "kd", "depth of a filter", "sd", "stride over the depth", "pd",
     "zeros on each side of the depth", "dd", "dilation of the depth"},
    {'h', "h", "height of an image", "kh", "height of a filter", "sh", "stride over the height",
     "ph", "zeros on each side of the height", "dh", "dilation of the height"},
    {'w', "w", "width of an image", "kw", "width of a filter", "sw", "stride over the width", "pw",
     "zeros on each side of the width", "dw", "dilation of the width"}};

double product_of_all(const Shape& sizes) {
  double product = 1;
  for (int64_t size : sizes) product *= static_cast<double>(size);
  return product;
}

template <class Part>
std::vector<Part> chained(std::initializer_list<std::vector<Part>> parts) {
  std::vector<Part> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// "y * 2 + p * 3", as affine maps have it.
std::string place_in_image(const std::string& step, int64_t stride, const std::string& tap,
                           int64_t dilation) {
  auto times = [](const std::string& loop, int64_t by) {
    return by == 1 ? loop : fmt::format("{} * {}", loop, by);
  };
  return times(step, stride) + " + " + times(tap, dilation);
}

// "0, 3, 1, 2": how torch turns channels from last to first, of images; of filters, where the taps
// come before them; and back, of results.
std::string first_of(size_t rank) {
  Shape order{0, static_cast<int64_t>(rank) + 1};
  for (size_t i = 1; i <= rank; ++i) order.push_back(static_cast<int64_t>(i));
  return fmt::format("{}", fmt::join(order, ", "));
}

std::string first_of_filter(size_t rank) {
  Shape order{static_cast<int64_t>(rank) + 1, static_cast<int64_t>(rank)};
  for (size_t i = 0; i < rank; ++i) order.push_back(static_cast<int64_t>(i));
  return fmt::format("{}", fmt::join(order, ", "));
}

std::string last_of(size_t rank) {
  Shape order{0};
  for (size_t i = 2; i < rank + 2; ++i) order.push_back(static_cast<int64_t>(i));
  order.push_back(1);
  return fmt::format("{}", fmt::join(order, ", "));
}

// "hw": the letters of those that an operation with these arguments has.
std::string dimensions_of(const OpArguments& arguments) {
  std::string letters;
  for (const DimensionKeys& each : kDimensions)
    if (arguments.find(each.image)) letters += each.letter;
  return letters;
}

std::string tuple(const Shape& sizes) {
  return fmt::format("({}{})", fmt::join(sizes, ", "), sizes.size() == 1 ? "," : "");
}

}  // namespace

Shape Convolution::image_shape() const {
  return channels_last ? chained<int64_t>({{n}, image, {c}}) : chained<int64_t>({{n, c}, image});
}

Shape Convolution::filter_shape() const {
  return channels_last ? chained<int64_t>({filter, {c / groups, f}})
                       : chained<int64_t>({{f, c / groups}, filter});
}

Shape Convolution::result_shape() const {
  return channels_last ? chained<int64_t>({{n}, result, {f}}) : chained<int64_t>({{n, f}, result});
}

double Convolution::flops() const {
  return 2 * product_of_all(result_shape()) * product_of_all(filter) *
         static_cast<double>(c / groups);
}

std::vector<OpKey> convolution_keys(std::string_view dimensions,
                                    const std::vector<std::string_view>& usual_sizes,
                                    std::vector<std::string_view> layouts) {
  std::vector<const DimensionKeys*> all;
  for (const char letter : dimensions)
    all.push_back(std::ranges::find(kDimensions, letter, &DimensionKeys::letter));
  std::vector<OpKey> keys{{"n", "images", {}, "1"},
                          {"c", "channels of an image", {}, "32"},
                          {"f", "filters, and so channels of a result", {}, "32"}};
  for (size_t i = 0; i < all.size(); ++i)
    keys.push_back({all[i]->image, all[i]->of_image, {}, usual_sizes[i]});
  const DimensionKeys& first = *all.front();
  auto add = [&](std::string_view DimensionKeys::* name, std::string_view DimensionKeys::* title,
                 std::string_view usual, int64_t least, bool is_quiet) {
    for (const DimensionKeys* each : all)
      keys.push_back(
          {each->*name, each->*title, {}, each == &first ? usual : first.*name, least, is_quiet});
  };
  add(&DimensionKeys::filter, &DimensionKeys::of_filter, "3", 1, false);
  add(&DimensionKeys::stride, &DimensionKeys::of_stride, "1", 1, true);
  add(&DimensionKeys::padding, &DimensionKeys::of_padding, "0", 0, true);
  add(&DimensionKeys::dilation, &DimensionKeys::of_dilation, "1", 1, true);
  keys.push_back({"groups",
                  "of channels, each with filters of its own; as many as channels: depthwise",
                  {},
                  "1",
                  1,
                  true});
  keys.push_back(floating_product_dtype_key());
  const std::string_view usual_layout = layouts.front();
  keys.push_back(
      {"layout", "of images and filters, and results as images", std::move(layouts), usual_layout});
  return keys;
}

Convolution convolution_of(const OpArguments& arguments) {
  Convolution conv;
  const std::string dimensions = dimensions_of(arguments);
  conv.n = arguments.number("n");
  conv.c = arguments.number("c");
  conv.f = arguments.number("f");
  conv.groups = arguments.number("groups");
  conv.channels_last =
      arguments.find("layout") && arguments.word("layout").starts_with("n" + dimensions + "c");
  for (char letter : dimensions) {
    auto number = [&](const char* before) {
      return arguments.number(std::string(before) + letter);
    };
    conv.image.push_back(number(""));
    conv.filter.push_back(number("k"));
    conv.stride.push_back(number("s"));
    conv.padding.push_back(number("p"));
    conv.dilation.push_back(number("d"));
    const int64_t room = conv.image.back() + 2 * conv.padding.back() -
                         conv.dilation.back() * (conv.filter.back() - 1) - 1;
    conv.result.push_back(room < 0 ? 0 : room / conv.stride.back() + 1);
  }
  return conv;
}

Status check_convolution(const OpArguments& arguments) {
  const std::string dimensions = dimensions_of(arguments);
  const Convolution conv = convolution_of(arguments);
  if (conv.c % conv.groups != 0 || conv.f % conv.groups != 0)
    return error(
        Code::invalid_input,
        fmt::format("c={} and f={} are no multiples of groups={}", conv.c, conv.f, conv.groups),
        "each group has as many channels and filters as the others");
  for (size_t i = 0; i < dimensions.size(); ++i)
    if (conv.result[i] == 0)
      return error(Code::invalid_input,
                   fmt::format("k{0}={1} with d{0}={2} does not fit into {0}={3} with p{0}={4}",
                               dimensions[i], conv.filter[i], conv.dilation[i], conv.image[i],
                               conv.padding[i]),
                   "give a smaller filter, or a larger image");
  return {};
}

std::string torch_convolution(const Convolution& conv, const std::string& x,
                              const std::string& weight) {
  const size_t rank = conv.image.size();
  const std::string image =
      conv.channels_last ? fmt::format("{}.permute({})", x, first_of(rank)) : x;
  const std::string filter =
      conv.channels_last ? fmt::format("{}.permute({})", weight, first_of_filter(rank)) : weight;
  const std::string call = fmt::format(
      "nn.functional.conv{}d({}, {}, stride={}, padding={}, dilation={}, groups={})", rank, image,
      filter, tuple(conv.stride), tuple(conv.padding), tuple(conv.dilation), conv.groups);
  return conv.channels_last ? fmt::format("{}.permute({}).contiguous()", call, last_of(rank))
                            : call;
}

OpProgram make_convolution(const OpArguments& arguments) {
  const Convolution conv = convolution_of(arguments);
  const ProductTypes types = product_types(arguments);
  TorchOperation torch;
  torch.title =
      fmt::format("Convolution of {} images of {} channels of {} by {} filters of {}.", conv.n,
                  conv.c, fmt::join(conv.image, " x "), conv.f, fmt::join(conv.filter, " x "));
  torch.inputs = {{"x", {types.factor, conv.image_shape(), {}}},
                  {"weight", {types.factor, conv.filter_shape(), {}}}};
  torch.outputs = {{types.result, conv.result_shape(), {}}};
  const std::string widened =
      types.factor == types.result ? "" : fmt::format(".to({})", torch_type(types.result));
  torch.forward = "return " + torch_convolution(conv, "x" + widened, "weight" + widened);
  torch.flops = conv.flops();
  return torch_program(torch);
}

// Groups are a dimension of their own, of images, filters and results.
std::string write_convolution(const OpArguments& arguments, const OpProgram& program,
                              const DynamicSizes& dynamic) {
  const Convolution conv = convolution_of(arguments);
  LinalgProgram text(dynamic);
  LinalgValue x = text.argument(program.inputs[0]), w = text.argument(program.inputs[1]);
  const size_t rank = conv.image.size();
  const bool last = conv.channels_last, grouped = conv.groups > 1;
  Shape around(rank + 2);
  for (size_t i = 0; i < rank; ++i) around[i + (last ? 1 : 2)] = conv.padding[i];
  x = text.padded(x, around);
  if (grouped) {
    x = text.split(x, last ? rank + 1 : 1, conv.groups);
    w = text.split(w, last ? rank + 1 : 0, conv.groups);
  }
  Loops steps, taps, places;
  for (size_t i = 0; i < rank; ++i) {
    steps.push_back(fmt::format("y{}", i));
    taps.push_back(fmt::format("k{}", i));
    places.push_back(place_in_image(steps[i], conv.stride[i], taps[i], conv.dilation[i]));
  }
  const Loops group = grouped ? Loops{"g"} : Loops{};
  const Shape groups = grouped ? Shape{conv.groups} : Shape{};
  SumOfProducts what;
  if (last) {
    what.loops = chained<std::string>({{"n"}, steps, group, {"f"}});
    what.result = chained<int64_t>({{conv.n}, conv.result, groups, {conv.f / conv.groups}});
    what.a = chained<std::string>({{"n"}, places, group, {"c"}});
    what.b = chained<std::string>({taps, {"c"}, group, {"f"}});
  } else {
    what.loops = chained<std::string>({{"n"}, group, {"f"}, steps});
    what.result = chained<int64_t>({{conv.n}, groups, {conv.f / conv.groups}, conv.result});
    what.a = chained<std::string>({{"n"}, group, {"c"}, places});
    what.b = chained<std::string>({group, {"f"}, {"c"}, taps});
  }
  what.loops = chained<std::string>({what.loops, taps, {"c"}});
  // Images and filters have groups as a dimension here, which comes before those of images alone.
  const size_t image = last ? 1 : grouped ? 3 : 2, filter = image - (last ? 1 : 0);
  for (size_t i = 0; i < rank; ++i)
    what.sizes[steps[i]] =
        text.worked_out(fmt::format("({{0}} - ({{1}} - 1) * {} - 1) floordiv {} + 1",
                                    conv.dilation[i], conv.stride[i]),
                        {{x, image + i}, {w, filter + i}});
  LinalgValue sums = text.sum_of_products(what, x, w);
  if (grouped) sums = text.joined(sums, last ? rank + 1 : 1);
  return text.returning(text.converted(sums, program.outputs[0].dtype));
}

}  // namespace assay

#include "tune/hot_operations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>

#include "compile/tuning_spec.h"

namespace assay {
namespace {

constexpr size_t kMostHot = 3;
// What takes less of a call makes no difference that could be told.
constexpr double kLeastPart = 0.05;

// "2x64x28x28x32x3x3": images, channels, rows and columns of a result, channels of an image, rows
// and columns of a filter, in the order of a program with its channels first. That of one image
// has no loop over images. As a configuration lists them; "": it is no such convolution.
std::string convolution_sizes_of(std::string_view loops) {
  auto sizes = sizes_in(loops).value_or(std::vector<int64_t>{});
  if (sizes.size() == 6) sizes.insert(sizes.begin(), 1);
  if (sizes.size() != kConvolutionLoops.size()) return "";
  const std::vector<int64_t> listed{sizes[0], sizes[2], sizes[3], sizes[1],
                                    sizes[5], sizes[6], sizes[4]};
  return fmt::format("{}", fmt::join(listed, "x"));
}

// The compiler names a dispatch by the operation at its root, the loops of that and its types:
// "main_dispatch_3_matmul_64x32x48_f16xf16xf32". Nothing: it is neither a product nor a
// convolution, or a size is open.
std::optional<HotOperation> operation_in(std::string_view name) {
  const bool is_convolution = name.contains("_conv_");
  if (!is_convolution && !name.contains("_matmul") && !name.contains("_contract"))
    return std::nullopt;
  HotOperation found;
  while (!name.empty()) {
    const size_t end = std::min(name.find('_'), name.size());
    const std::string_view part = name.substr(0, end);
    name.remove_prefix(std::min(end + 1, name.size()));
    std::string sizes = is_convolution        ? convolution_sizes_of(part)
                        : product_sizes_in(part) ? std::string(part)
                                                 : "";
    if (sizes.empty()) continue;
    found.sizes = std::move(sizes);
    found.type = name.substr(0, name.find_first_of("x_"));
  }
  if (found.sizes.empty() || found.type.empty()) return std::nullopt;
  return found;
}

}  // namespace

std::vector<HotOperation> hot_operations(const CallParts& parts) {
  struct Heat {
    HotOperation operation;
    double ns = 0;
  };
  std::vector<Heat> found;
  for (const CallPart& each : parts.parts) {
    auto operation = operation_in(each.name);
    if (!operation) continue;
    // One size has one name, whatever the types.
    auto same = std::ranges::find(found, operation->sizes,
                                  [](const Heat& other) { return other.operation.sizes; });
    if (same == found.end()) same = found.insert(found.end(), {*std::move(operation), 0});
    same->ns += each.of_call_ns();
  }
  std::ranges::stable_sort(found, std::greater<>(), &Heat::ns);
  std::vector<HotOperation> hot;
  for (Heat& each : found)
    if (hot.size() < kMostHot && each.ns >= kLeastPart * parts.whole_ns())
      hot.push_back(std::move(each.operation));
  return hot;
}

}  // namespace assay

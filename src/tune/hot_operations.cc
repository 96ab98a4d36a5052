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

// What takes less of a call makes no difference that could be told.
constexpr double kLeastPart = 0.05;

// What the compiler names a dispatch by: the operation at its root, the loops of that and its
// types, "main_dispatch_3_matmul_64x32x48_f16xf16xf32".
struct Root {
  std::string_view name{};  // with what stands before it: "main_dispatch_3_matmul"
  std::vector<int64_t> loops{};
  std::string type{};  // of its operands

  bool is_product() const { return name.contains("_matmul") || name.contains("_contract"); }
  bool is_convolution() const { return name.ends_with("_conv"); }
};

// Nothing: it has no sizes, or one that is open.
std::optional<Root> root_in(std::string_view name) {
  std::optional<Root> found;
  for (size_t begin = 0; begin < name.size();) {
    const size_t end = std::min(name.find('_', begin), name.size());
    auto sizes = sizes_in(name.substr(begin, end - begin));
    if (sizes && sizes->size() > 1) {
      const std::string_view types = name.substr(std::min(end + 1, name.size()));
      found = {name.substr(0, begin > 0 ? begin - 1 : 0), *std::move(sizes),
               std::string(types.substr(0, types.find_first_of("x_")))};
    }
    begin = end + 1;
  }
  return found && !found->type.empty() ? found : std::nullopt;
}

bool is_of_images(const CallPart& part) {
  const auto root = root_in(part.name);
  return root && root->is_convolution() && root->loops.size() == kConvolutionLoops.size();
}

// A convolution of one image has no loop over images: where others have one, what has as many loops
// is a pooling, or goes channel by channel.
std::optional<HotOperation> operation_in(const std::string& name, bool has_images) {
  auto root = root_in(name);
  if (!root) return std::nullopt;
  std::vector<int64_t>& loops = root->loops;
  if (root->is_convolution()) {
    if (loops.size() + 1 == kConvolutionLoops.size() && !has_images) loops.insert(loops.begin(), 1);
    if (loops.size() != kConvolutionLoops.size()) return std::nullopt;
    loops = as_listed(loops);
  } else if (!root->is_product()) {
    return std::nullopt;
  }
  HotOperation found{fmt::format("{}", fmt::join(loops, "x")), root->type};
  return operation_of_sizes(found.sizes).empty() ? std::nullopt : std::optional(std::move(found));
}

}  // namespace

std::vector<HotOperation> hot_operations(const CallParts& parts) {
  struct Heat {
    HotOperation operation;
    double ns = 0;
  };
  std::vector<Heat> found;
  const bool has_images = std::ranges::any_of(parts.parts, is_of_images);
  for (const CallPart& each : parts.parts) {
    auto operation = operation_in(each.name, has_images);
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
    if (each.ns >= kLeastPart * parts.whole_ns()) hot.push_back(std::move(each.operation));
  return hot;
}

}  // namespace assay

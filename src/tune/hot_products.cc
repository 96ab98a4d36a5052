#include "tune/hot_products.h"

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

// The compiler names a dispatch by the operation at its root, the loops of that and its types:
// "main_dispatch_3_matmul_64x32x48_f16xf16xf32". Nothing: it is no product, or a size is open.
std::optional<HotProduct> product_in(std::string_view name) {
  if (!name.contains("_matmul") && !name.contains("_contract")) return std::nullopt;
  HotProduct found;
  while (!name.empty()) {
    const size_t end = std::min(name.find('_'), name.size());
    const std::string_view part = name.substr(0, end);
    name.remove_prefix(std::min(end + 1, name.size()));
    if (!sizes_in(part)) continue;
    found.sizes = part;
    found.type = name.substr(0, name.find_first_of("x_"));
  }
  if (found.sizes.empty() || found.type.empty()) return std::nullopt;
  return found;
}

}  // namespace

std::vector<HotProduct> hot_products(const CallParts& parts) {
  struct Heat {
    HotProduct product;
    double ns = 0;
  };
  std::vector<Heat> found;
  for (const CallPart& each : parts.parts) {
    auto product = product_in(each.name);
    if (!product) continue;
    // One size has one name, whatever the types.
    auto same = std::ranges::find(found, product->sizes,
                                  [](const Heat& other) { return other.product.sizes; });
    if (same == found.end()) same = found.insert(found.end(), {*std::move(product), 0});
    same->ns += each.of_call_ns();
  }
  std::ranges::stable_sort(found, std::greater<>(), &Heat::ns);
  std::vector<HotProduct> hot;
  for (Heat& each : found)
    if (hot.size() < kMostHot && each.ns >= kLeastPart * parts.whole_ns())
      hot.push_back(std::move(each.product));
  return hot;
}

}  // namespace assay

#include "verify/picks.h"

#include <algorithm>
#include <cmath>

#include "verify/number.h"

namespace assay {
namespace {

uint64_t product_of(const int64_t* first, const int64_t* last) {
  uint64_t product = 1;
  for (; first != last; ++first) product *= static_cast<uint64_t>(*first);
  return product;
}

// The key is [outer, of, inner], and the indices [outer, picked, inner].
struct PickedLayout {
  uint64_t outer = 0, of = 0, inner = 0;
  explicit PickedLayout(const Picks& picks) : PickedLayout(picks.key.shape, picks.dim) {}
  PickedLayout(const std::vector<int64_t>& shape, size_t dim)
      : outer(product_of(shape.data(), shape.data() + dim)),
        of(static_cast<uint64_t>(shape[dim])),
        inner(product_of(shape.data() + dim + 1, shape.data() + shape.size())) {}
};

bool is_as_large(double a, double b, double tolerance) {
  return a == b || std::fabs(a - b) <= tolerance || (std::isnan(a) && std::isnan(b));
}

}  // namespace

bool fits(const Picks& picks, uint64_t elements) {
  if (picks.dim >= picks.key.shape.size()) return false;
  PickedLayout layout(picks);
  uint64_t rows = layout.outer * layout.inner;
  if (rows == 0 || layout.of == 0) return elements == 0;
  return elements % rows == 0 && elements / rows <= layout.of;
}

PickFigures judge_picks(const PickKey& key, Dtype dtype, const std::byte* indices,
                        Dtype exact_dtype, const std::byte* exact, uint64_t elements) {
  PickFigures figures;
  const Picks& picks = *key.picks;
  const PickedLayout layout(picks);
  const uint64_t rows = layout.outer * layout.inner;
  if (rows == 0) return figures;
  const uint64_t picked = elements / rows;
  std::vector<uint64_t> places(picked);
  std::vector<int64_t> found(picked), wanted(picked);
  std::vector<bool> seen(layout.of);
  for (uint64_t row = 0; row < rows; ++row) {
    const uint64_t outer = row / layout.inner, inner = row % layout.inner;
    for (uint64_t i = 0; i < picked; ++i) {
      places[i] = (outer * picked + i) * layout.inner + inner;
      load_integers(dtype, indices + places[i] * bytes_of(dtype), 1, &found[i]);
      load_integers(exact_dtype, exact + places[i] * bytes_of(exact_dtype), 1, &wanted[i]);
    }
    if (found == wanted) continue;
    auto key_of = [&](int64_t index) {
      return key.values[(outer * layout.of + static_cast<uint64_t>(index)) * layout.inner + inner];
    };
    auto is_inside = [&](int64_t index) {
      return index >= 0 && static_cast<uint64_t>(index) < layout.of;
    };
    if (picks.each_once) seen.assign(layout.of, false);
    // The first of equal ones alone is right. Of all elements, sorted, that is to say that equal
    // ones come in order: what goes before may be shifted, where the keys are places themselves.
    const bool in_order = picks.first && key.is_exact;
    const bool any_of_equal = !in_order || (picks.each_once && picked == layout.of);
    for (uint64_t i = 0; i < picked; ++i) {
      bool good = found[i] == wanted[i] ||
                  (any_of_equal && is_inside(found[i]) && is_inside(wanted[i]) &&
                   is_as_large(key_of(found[i]), key_of(wanted[i]), key.is_exact ? 0 : 1));
      if (good && in_order && i > 0 && is_inside(found[i]) && is_inside(found[i - 1]))
        good = found[i] > found[i - 1] || key_of(found[i]) != key_of(found[i - 1]);
      if (good && picks.each_once && is_inside(found[i])) {
        good = !seen[static_cast<size_t>(found[i])];
        seen[static_cast<size_t>(found[i])] = true;
      }
      if (good) {
        figures.moved += found[i] != wanted[i];
        continue;
      }
      ++figures.wrong;
      figures.first_wrong = std::min(figures.first_wrong.value_or(places[i]), places[i]);
    }
  }
  return figures;
}

}  // namespace assay

// What a worker says of inputs, of which domain they are among it: what reads as either is sound,
// and can be drawn.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "verify/families.h"

namespace {

void draw_one(const assay::Json& json) {
  using namespace assay;
  auto read = draw_from_json(json);
  if (!read || !*read) return;
  auto again = draw_from_json(to_json(**read));
  if (!again || to_json(**again) != to_json(**read)) abort();
  for (const auto& [dtype, word] : kDtypeWords) {
    TensorSpec spec{dtype, {5}, {2}};
    std::vector<std::byte> memory(spec.span_bytes());
    if (check(spec, **read) && !draw(spec, **read, RandomStream(Seed{}, "fuzz"), memory.data()))
      abort();
  }
}

void fill_one(const assay::Json& json) {
  using namespace assay;
  auto read = domain_from_json(json);
  if (!read) return;
  auto again = domain_from_json(to_json(*read));
  if (!again || *again != *read) abort();
  for (const auto& [dtype, word] : kDtypeWords) {
    TensorSpec spec{dtype, {2, 4}, {1, 2}};
    if (!check(spec, *read)) continue;
    std::vector<std::byte> memory(spec.span_bytes());
    const RandomStream stream(Seed{}, "fuzz"), earlier(Seed{}, "earlier");
    for (const auto& [family, title] : kFamilyWords) {
      FamilyFill how{.family = family, .domain = *read, .earlier = &earlier};
      if (!fill_family(spec, nullptr, how, stream, memory.data())) abort();
      if (!holds(spec, *read, memory.data())) abort();
    }
  }
}

}  // namespace

extern "C" int fuzz_draw(const uint8_t* data, size_t size) {
  using namespace assay;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  if (auto json = parse_json(text, "an input")) {
    draw_one(*json);
    fill_one(*json);
    if (auto spec = tensor_from_json(*json)) {
      auto again = tensor_from_json(to_json(*spec));
      if (!again || again->span_bytes() != spec->span_bytes()) abort();
    }
  }
  return 0;
}

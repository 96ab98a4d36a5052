#include "verify/disturb.h"

#include <array>
#include <cstring>
#include <vector>

#include "verify/distributions.h"
#include "verify/domain_values.h"
#include "verify/number.h"

namespace assay {

void disturb(const TensorSpec& spec, const RandomStream& stream, std::byte* tensor) {
  std::vector<std::byte> before(spec.elements() * bytes_of(spec.dtype));
  gather(spec, tensor, 0, spec.elements(), before.data());
  const uint64_t bytes = bytes_of(spec.dtype), last = spec.elements() - 1;
  if (is_floating(spec.dtype)) {
    fill(spec, tensor, Floats([&](uint64_t first, std::span<double> values) {
           std::array<double, kBlockElements> factors, noise;
           uniform(stream.named("factors"), first, 24, std::span(factors).first(values.size()));
           normal(stream.named("noise"), first, std::span(noise).first(values.size()));
           load_block(spec.dtype, before.data() + first * bytes, values.size(), values.data());
           for (size_t i = 0; i < values.size(); ++i)
             values[i] = values[i] == 0 ? noise[i] : values[i] * (0.5 + factors[i]);
         }));
    return;
  }
  std::vector<std::byte> reversed(before.size());
  for (uint64_t i = 0; i <= last; ++i)
    std::memcpy(&reversed[i * bytes], &before[(last - i) * bytes], bytes);
  const bool palindrome = reversed == before;
  fill(spec, tensor, Integers([&](uint64_t first, std::span<int64_t> values) {
         load_integers(spec.dtype, reversed.data() + first * bytes, values.size(), values.data());
         if (!palindrome) return;
         for (size_t i = 0; i < values.size(); ++i)
           if (stream.below(first + i, 2) == 0 || last == 0) values[i] = values[i] == 0 ? 1 : 0;
       }));
}

// There is no other constant, nor another index below 1; edges that change their places are no
// graph of all kinds, and a mask that shows everything reads the same backwards.
void disturb_within(const Domain& domain, const TensorSpec& spec, const RandomStream& stream,
                    std::byte* tensor) {
  if (domain.kind == DomainKind::constant) return;
  if (domain.kind == DomainKind::index && domain.below == 1) return;
  if (domain.kind == DomainKind::graph) return fill_graph(spec, domain, nullptr, stream, tensor);
  if (domain.kind == DomainKind::mask) return keep_mask(spec, domain, &stream, tensor);
  disturb(spec, stream, tensor);
}

}  // namespace assay

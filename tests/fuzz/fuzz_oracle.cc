// What an oracle may say of a problem, whose code runs in the same process: what reads as a
// description or a computation can be worked with, and admits no less than its tensors take.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "verify/oracle.h"

extern "C" int fuzz_oracle(const uint8_t* data, size_t size) {
  using namespace assay;
  auto json = parse_json({reinterpret_cast<const char*>(data), size}, "an answer");
  if (!json) return 0;
  (void)computed_from_json(*json);
  auto problem = description_from_json(*json);
  if (!problem) return 0;
  uint64_t input_bytes = 0;
  for (const Leaf& leaf : problem->inputs) {
    if (leaf.tensor && input_bytes < uint64_t{1} << 59) input_bytes += leaf.tensor->span_bytes();
    if (leaf.draw && (!leaf.tensor || !check(*leaf.tensor, *leaf.draw))) abort();
    if (leaf.tensor && !check(*leaf.tensor, leaf.domain)) abort();
    const bool is_constant = leaf.domain.kind == DomainKind::constant;
    if (leaf.draw ? is_constant : leaf.domain.kind == DomainKind::graph) abort();
  }
  if (problem->input_bytes < std::min(input_bytes, uint64_t{1} << 60)) abort();
  for (size_t place : problem->mutated_inputs)
    if (place >= problem->inputs.size() || !problem->inputs[place].tensor) abort();
  for (const StateTensor& each : problem->state)
    if (each.tensor.shape.size() > kMaxRank) abort();
  return 0;
}

#include "measure/work.h"

#include <fmt/format.h>

#include <utility>

namespace assay {
namespace {

// With all of so many telling, 9 of 10 elements are, but for one time in 20: 0.9^32 = 0.03.
constexpr int kTries = 32;
constexpr double kTellingPart = 0.9;
constexpr uint64_t kMostBytes = uint64_t{8} << 20;

uint64_t part_of(uint64_t bytes, double part) {
  return static_cast<uint64_t>(static_cast<double>(bytes) * part);
}

}  // namespace

Step<Work> work_of(Reference& reference, const RandomStream& random, std::string type,
                   bool tries_inputs) {
  const ProblemDescription& problem = reference.problem();
  Work work;
  work.type = std::move(type);
  work.bytes = problem.bytes();
  work.flops = problem.flops;
  // A result may be an input's own memory, and needs no bytes then.
  for (const Leaf& output : problem.outputs)
    if (output.tensor && !output.aliased_input)
      work.compulsory_bytes += output.tensor->elements() * bytes_of(output.tensor->dtype);
  if (!tries_inputs || !reference.may_expect_several() || problem.bytes() > kMostBytes) return work;
  for (size_t i = 0; i < problem.inputs.size(); ++i) {
    const auto& spec = problem.inputs[i].tensor;
    // Others than these are none that a problem of such an input has to take.
    if (problem.inputs[i].domain.kind != DomainKind::free) continue;
    if (!spec || !is_floating(spec->dtype) || spec->elements() == 0) continue;
    const RandomStream stream = random.named("telling elements").named(fmt::format("{}", i));
    auto telling = reference.count_telling(i, kTries, stream);
    // The problem's own code need not take such an input.
    if (!telling && std::holds_alternative<Error>(telling.error().why))
      return std::unexpected(std::move(telling.error()));
    if (telling && *telling == kTries)
      work.compulsory_bytes += part_of(spec->elements() * bytes_of(spec->dtype), kTellingPart);
  }
  return work;
}

}  // namespace assay

#include "verify/round_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "verify/elements.h"

namespace assay {
namespace {

TensorSpec dense(const TensorSpec& spec) { return {spec.dtype, spec.shape, {}}; }

}  // namespace

Result<SharedTensors> room_for_inputs(const ProblemDescription& problem) {
  std::vector<TensorSpec> specs;
  for (const Leaf& leaf : problem.inputs)
    if (leaf.tensor) specs.push_back(*leaf.tensor);
  return SharedTensors::create("assay-drawn", std::move(specs), SharedTensors::Access::write);
}

Result<RoundMemory> RoundMemory::create(const ProblemDescription& problem, uint64_t zone_bytes,
                                        const ProblemDescription* part, size_t slots,
                                        size_t expected) {
  std::vector<TensorSpec> read, changed, written;
  std::vector<Place> places;
  for (size_t i = 0; i < problem.inputs.size(); ++i) {
    Place& place = places.emplace_back();
    const auto& tensor = problem.inputs[i].tensor;
    if (!tensor) continue;
    place.is_tensor = true;
    place.is_changed = std::ranges::find(problem.mutated_inputs, i) != problem.mutated_inputs.end();
    auto& list = place.is_changed ? changed : read;
    place.index = list.size();
    list.push_back(*tensor);
  }
  for (const Leaf& leaf : problem.outputs)
    if (leaf.tensor) written.push_back(dense(*leaf.tensor));
  const ProblemDescription& computed = part ? *part : problem;
  std::vector<TensorSpec> results;
  for (const Leaf& leaf : computed.outputs)
    if (leaf.tensor) results.push_back(dense(*leaf.tensor));
  for (size_t place : computed.mutated_inputs)
    results.push_back(dense(*computed.inputs[place].tensor));
  std::vector<TensorSpec> exact = results;
  for (TensorSpec& spec : exact)
    if (is_floating(spec.dtype)) spec.dtype = Dtype::f64;
  for (const Leaf& leaf : computed.outputs)
    if (leaf.picks) exact.push_back(leaf.picks->key);

  using Access = SharedTensors::Access;
  auto shared = [&](const char* name, std::vector<TensorSpec> tensors, Access access) {
    return SharedTensors::create(name, std::move(tensors), access, zone_bytes, slots);
  };
  auto own = [&](const char* name, std::vector<TensorSpec> tensors) {
    return SharedTensors::create(name, std::move(tensors), Access::write, 0, expected);
  };
  ASSAY_ASSIGN(auto inputs, shared("assay-inputs", std::move(read), Access::read));
  ASSAY_ASSIGN(auto inout, shared("assay-inout", std::move(changed), Access::write));
  ASSAY_ASSIGN(auto outputs, shared("assay-outputs", std::move(written), Access::write));
  ASSAY_ASSIGN(auto reference, own("assay-reference", std::move(exact)));
  ASSAY_ASSIGN(auto baseline, own("assay-baseline", std::move(results)));
  return RoundMemory{std::move(inputs),    std::move(inout),    std::move(outputs),
                     std::move(reference), std::move(baseline), std::move(places)};
}

RoundMemory RoundMemory::slot(size_t slot) const {
  return {inputs.slot(slot),    inout.slot(slot),    outputs.slot(slot),
          reference.slot(slot), baseline.slot(slot), places};
}

Json RoundMemory::input_layout(const ProblemDescription& problem) const {
  Json read = inputs.layout("inputs");
  Json changed = inout.layout("inout");
  Json layout = Json::array();
  for (size_t i = 0; i < places.size(); ++i) {
    if (!places[i].is_tensor)
      layout.push_back(problem.inputs[i].scalar);
    else
      layout.push_back((places[i].is_changed ? changed : read)[places[i].index]);
  }
  return layout;
}

Oracle::Computation RoundMemory::computation(const ProblemDescription& problem) const {
  Oracle::Computation what;
  what.inputs = input_layout(problem);
  what.given = &inputs;
  what.inout = &inout;
  what.reference = &reference;
  what.baseline = &baseline;
  return what;
}

Values RoundMemory::values(size_t output, uint64_t elements, const std::byte* candidate) const {
  return {.dtype = baseline.specs()[output].dtype,
          .elements = elements,
          .candidate = candidate,
          .baseline = baseline.tensor(output).data(),
          .exact = reference.tensor(output).data(),
          .exact_dtype = reference.specs()[output].dtype};
}

std::vector<JudgedResult> judged_results(const ProblemDescription& problem,
                                         const RoundMemory& memory) {
  std::vector<JudgedResult> results;
  for (size_t i = 0; i < problem.outputs.size(); ++i) {
    if (!problem.outputs[i].tensor) continue;
    size_t place = results.size();
    results.push_back({fmt::format("output {}", i),
                       &problem.outputs[i],
                       memory.outputs.specs()[place],
                       memory.outputs.tensor(place),
                       {}});
  }
  for (size_t input : problem.mutated_inputs) {
    const TensorSpec& spec = *problem.inputs[input].tensor;
    JudgedResult result{
        fmt::format("input {}", input), nullptr, dense(spec), memory.input(input), {}};
    if (!spec.is_dense()) {
      result.gathered.resize(result.spec.span_bytes());
      gather(spec, memory.input(input).data(), 0, spec.elements(), result.gathered.data());
      result.candidate = result.gathered;
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace assay

#include "verify/memory_need.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "run/outcome.h"
#include "verify/chunks.h"

namespace assay {
namespace {

// What two processes with torch change of their images, what the oracle keeps for its next chunk,
// and small things.
constexpr uint64_t kProcessesBytes = uint64_t{224} << 20;

struct Results {
  uint64_t own_bytes = 0, double_bytes = 0;
};

// What the oracle writes: results, and inputs that a call changes.
Results results_of(const ProblemDescription& problem) {
  Results results;
  auto add = [&](const TensorSpec& spec) {
    uint64_t elements = spec.elements();
    results.own_bytes += elements * bytes_of(spec.dtype);
    results.double_bytes += elements * bytes_of(is_floating(spec.dtype) ? Dtype::f64 : spec.dtype);
  };
  for (const Leaf& leaf : problem.outputs) {
    if (leaf.tensor) add(*leaf.tensor);
    if (leaf.picks) results.double_bytes += leaf.picks->key.span_bytes();
  }
  for (size_t input : problem.mutated_inputs) add(*problem.inputs[input].tensor);
  return results;
}

uint64_t input_bytes(const ProblemDescription& problem) {
  uint64_t bytes = 0;
  for (const Leaf& leaf : problem.inputs)
    if (leaf.tensor) bytes += leaf.tensor->span_bytes();
  return bytes;
}

// While inputs are drawn that get_inputs() computes: a draw, the numbers that take its place, and
// what comes of it, as the problem draws it and as a family has it, beside all inputs as it makes
// them. Not while results are computed. 0: the judge draws them all.
uint64_t drawing_bytes(const ProblemDescription& problem) {
  constexpr uint64_t kTimes = 5;
  uint64_t bytes = 0;
  for (const Leaf& leaf : problem.inputs)
    if (leaf.tensor && !leaf.draw) bytes += leaf.tensor->span_bytes();
  return bytes == 0 ? 0 : input_bytes(problem) + kTimes * bytes;
}

// How often the weights lie in a process that has compiled the model, at most.
uint64_t times_of_weights(OwnModel own) {
  switch (own) {
    case OwnModel::xla:
      return 2;  // torch's, and XLA's copy of them
    case OwnModel::onnxruntime:
      return 4;  // torch's, the file in ONNX, its bytes, and what the session has made of them
    default:
      return 1;
  }
}

// It is handed copies of what it takes, or returns what is copied then.
uint64_t candidate_bytes(const ProblemDescription& problem, const Form& form, OwnModel own) {
  uint64_t bytes =
      std::max(model_bytes(problem, own), problem.state_bytes + results_of(problem).own_bytes);
  if (form.runner && form.runner().copies_inputs) bytes += input_bytes(problem);
  return bytes;
}

}  // namespace

uint64_t model_bytes(const ProblemDescription& problem, OwnModel own) {
  return times_of_weights(own) * problem.state_bytes + problem.forward_bytes;
}

MemoryNeed memory_to_compile(const ProblemDescription& problem, const Form& form) {
  MemoryNeed need;
  need.oracle_bytes = 2 * problem.state_bytes;
  need.all_bytes = kProcessesBytes + input_bytes(problem) + results_of(problem).own_bytes +
                   need.oracle_bytes + candidate_bytes(problem, form, OwnModel::none);
  return need;
}

MemoryNeed memory_need(const ProblemDescription& problem, const Form& form, const ChunkPlan* plan,
                       OwnModel own) {
  ProblemDescription part = plan ? part_of(problem, *plan, plan->rows) : problem;
  uint64_t inputs = input_bytes(problem), state = problem.state_bytes;
  Results whole = results_of(problem), expected = results_of(part);
  uint64_t expected_bytes = expected.own_bytes + expected.double_bytes;

  // The double run's count has inputs and state in it; eager's model lies beside.
  uint64_t computing = plan ? std::max(plan->forward_bytes, plan->double_bytes)
                            : std::max(problem.forward_bytes, problem.double_bytes);
  uint64_t oracle = state + std::max(computing, drawing_bytes(problem));
  // To find out what inputs that differ by a rounding change, they are there a second time.
  uint64_t perturbed = input_bytes(part) + expected_bytes;
  const uint64_t candidate = candidate_bytes(problem, form, own);

  MemoryNeed need;
  need.oracle_bytes = oracle + state + inputs + expected_bytes;
  need.all_bytes = kProcessesBytes + inputs + whole.own_bytes + state + expected_bytes + oracle +
                   perturbed + candidate;
  // torch's compiler makes less of a call's own tensors, by how much nobody knows.
  if (own != OwnModel::none && own != OwnModel::inductor)
    need.model_bytes = model_bytes(problem, own);
  return need;
}

Step<MemoryPass> admit(const MemoryNeed& need, uint64_t process_bytes, MemoryGate& memory) {
  auto not_judged = [](std::string why) {
    return std::unexpected(Stop(not_judged_stage(Stage::verify, std::move(why))));
  };
  if (need.oracle_bytes > process_bytes)
    return not_judged(
        fmt::format("at its own size the reference takes about {}, and a process may "
                    "take {} (--memory)",
                    format_bytes(need.oracle_bytes), format_bytes(process_bytes)));
  if (need.model_bytes > process_bytes)
    return not_judged(fmt::format(
        "at its own size one call of the problem's model takes about {}, and a process may take {} "
        "(--memory)",
        format_bytes(need.model_bytes), format_bytes(process_bytes)));
  ASSAY_ASSIGN(uint64_t bytes, memory.enter(need.all_bytes));
  if (bytes < need.all_bytes)
    return not_judged(fmt::format(
        "verifying it at its own size takes about {} of memory, and this machine has {} for it",
        format_bytes(need.all_bytes), format_bytes(bytes)));
  return MemoryPass(memory, bytes);
}

Step<void> admit_model(const ProblemDescription& problem, OwnModel own, uint64_t process_bytes,
                       MemoryGate& memory) {
  ASSAY_TRY(admit({.model_bytes = model_bytes(problem, own)}, process_bytes, memory));
  return {};
}

}  // namespace assay

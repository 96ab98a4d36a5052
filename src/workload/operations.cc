// `op:NAME[...]`: operations that assay generates itself. Their suite is "op", their levels are the
// kinds.
#include <algorithm>
#include <utility>

#include "op/expand.h"
#include "workload/all.h"
#include "workload/operation_facts.h"

namespace assay {
namespace {

// An operation of f64 is one at every step; any other is compiled as it stands.
Precision precision_of_operation(const OpArguments& arguments) {
  const auto& all = arguments.all();
  return std::ranges::any_of(all,
                             [](const auto& each) {
                               const auto* word = std::get_if<std::string>(&each.second);
                               return each.first == "dtype" && word &&
                                      *word == to_word(kDtypeWords, Dtype::f64);
                             })
             ? Precision::f64
             : Precision::f32;
}

Result<std::vector<Workload>> expand_operation(const Disk&, const std::string& given) {
  ASSAY_ASSIGN(auto operations, expand_op(given));
  std::vector<Workload> found;
  for (const OpWorkload& each : operations)
    found.push_back({.path = each.spelled(),
                     .suite = "op",
                     .level = std::string(each.operation->kind),
                     .name = each.name(),
                     .shared_name = std::string(each.operation->name),
                     .precision = precision_of_operation(each.arguments)});
  return found;
}

Result<LoadedWorkload> load_operation(const Disk&, const Workload& workload) {
  ASSAY_ASSIGN(auto operations, expand_op(workload.path));
  ASSAY_ASSIGN(OpProgram program, operations.front().operation->make(operations.front().arguments));
  OperationFacts facts = facts_of(operations.front(), program);
  return LoadedWorkload{std::move(program.python),
                        WorkloadProgram{std::move(program.mlir), std::move(program.inputs),
                                        std::move(program.outputs), program.flops},
                        program.product, std::move(facts)};
}

std::vector<NameBeginning> beginnings_of_operations() {
  std::vector<NameBeginning> beginnings;
  for (const Operation& each : operations())
    beginnings.push_back({std::string(kOpPrefix) + std::string(each.name), each.title});
  return beginnings;
}

}  // namespace

Source operation_source() {
  return {.prefix = kOpPrefix,
          .name = "op:NAME[KEY=VALUE,...]",
          .title = "an operation that assay makes itself, several with VALUE|VALUE",
          .expand = expand_operation,
          .load = load_operation,
          .beginnings = beginnings_of_operations};
}

}  // namespace assay

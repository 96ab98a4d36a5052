// `op:NAME[...]`: operations that assay generates itself. Their suite is "op", their levels are the
// kinds.
#include <algorithm>
#include <utility>

#include "base/places.h"
#include "base/words.h"
#include "op/expand.h"
#include "workload/all.h"
#include "workload/operation_facts.h"

namespace assay {
namespace {

// A set is a file of `sets/`, which comes with assay; another file is named by its path.
Result<std::string> read_shapes(const Disk& disk, const std::string& name, bool is_set) {
  if (!is_set) return disk.read(absolute_path(name));
  ASSAY_ASSIGN(const Places places, find_places());
  if (auto text = disk.read(join_path(places.sets, name + ".txt")); text && !name.contains('/'))
    return text;
  std::vector<std::string> known;
  ASSAY_ASSIGN(const auto entries, disk.list(places.sets));
  for (const DirectoryEntry& entry : entries)
    if (entry.name.ends_with(".txt")) known.push_back(entry.name.substr(0, entry.name.size() - 4));
  return error(Code::not_found, "there is no set '" + name + "'" + suggestion(name, known),
               "name a set that comes with assay, or a file of your own: file=PATH");
}

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

Result<std::vector<Workload>> expand_operation(const Disk& disk, const std::string& given) {
  const ReadShapes read = [&](const std::string& name, bool is_set) {
    return read_shapes(disk, name, is_set);
  };
  ASSAY_ASSIGN(OpSweep sweep, sweep_op(given, read));
  std::vector<Workload> found;
  for (const LeftOut& each : sweep.left_out)
    found.push_back(
        {.path = each.what, .suite = "op", .level = "", .name = "", .cannot_be = each.why.message});
  for (const OpWorkload& each : sweep.workloads)
    found.push_back({.path = each.spelled(),
                     .suite = "op",
                     .level = std::string(each.operation->kind),
                     .name = each.name(),
                     .shared_name = std::string(each.operation->name),
                     .other_name = each.classic_name(),
                     .precision = precision_of_operation(each.arguments)});
  return found;
}

Result<LoadedWorkload> load_operation(const Disk&, const Workload& workload) {
  ASSAY_ASSIGN(auto operations, expand_op(workload.path));
  OpProgram made = make_program(*operations.front().operation, operations.front().arguments);
  OperationFacts facts = facts_of(operations.front(), made);
  LoadedWorkload loaded{std::move(made.python), std::nullopt, made.product, std::move(made.sum),
                        std::move(facts)};
  // Else the exporter makes it.
  if (!made.mlir.empty())
    loaded.program = {std::move(made.mlir), std::move(made.inputs), std::move(made.outputs),
                      made.flops};
  return loaded;
}

std::vector<NameBeginning> beginnings_of_operations() {
  std::vector<NameBeginning> beginnings;
  for (const Operation& each : operations())
    beginnings.push_back(
        {std::string(kOpPrefix) + std::string(each.name), std::string(each.title)});
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

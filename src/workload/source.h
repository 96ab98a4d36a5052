// Where workloads come from. One file for each source; to add one, write it beside files.cc and
// name it in sources.cc. Nothing outside of this folder knows which there are.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"
#include "base/status.h"
#include "model/operation_facts.h"
#include "model/product_shape.h"
#include "model/sum_shape.h"
#include "model/tensor.h"
#include "workload/suite_task.h"
#include "workload/workload.h"

namespace assay {

// A program that comes with its workload, so that no exporter is asked.
struct WorkloadProgram {
  std::string mlir;  // for the IREE compiler: linalg on tensors, a function `main`
  std::vector<TensorSpec> inputs, outputs;
  double flops = 0;  // useful ones; an addition and a multiplication are two
};

// What a workload holds.
struct LoadedWorkload {
  // A KernelBench-format file: Model, get_inputs(), get_init_inputs(). Or what the worker takes
  // for one: graph_file.h.
  std::string python;
  std::optional<WorkloadProgram> program{};
  std::optional<ProductShape> product{};      // what it computes, where that has an exact rule
  std::optional<SumShape> sum{};              // or whose roundings have a bound
  std::optional<OperationFacts> operation{};  // where it is a generated one
  std::optional<SuiteTask>
      tests{};  // where candidates are run with tests, and `python` is all of it
  std::string
      shown{};  // what people and models read in the place of `python`, where that is no text

  std::shared_ptr<const LoadedWeights> weights{};  // the workload's

  Truth truth = Truth::problem;  // the workload's

  const std::string& text() const { return shown.empty() ? python : shown; }
};

// What a name may begin with: "op:matmul".
struct NameBeginning {
  std::string text, title;
};

struct Source {
  // What the names of its workloads begin with, "op:"; "" of the one that takes all other names.
  std::string_view prefix;
  std::string_view name;   // of what is written: "op:NAME[KEY=VALUE,...]"
  std::string_view title;  // for people
  // The workloads that a name stands for. Never empty: where there is none it fails, and says so.
  Result<std::vector<Workload>> (*expand)(const Disk& disk, const std::string& given);
  // Fails where the workload cannot be read.
  Result<LoadedWorkload> (*load)(const Disk& disk, const Workload& workload);
  bool is_on_disk = false;  // its names are paths
  // For completion. Null: its prefix is all that is known.
  std::vector<NameBeginning> (*beginnings)() = nullptr;
};

std::span<const Source> sources();

// The one whose prefix a name has.
const Source& source_of(std::string_view name);

// Of all that decides what an attempt on it is.
std::string hash_of(const LoadedWorkload& loaded);

Result<LoadedWorkload> load_workload(const Disk& disk, const Workload& workload);

}  // namespace assay

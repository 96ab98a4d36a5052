// From paths on the command line to workloads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/disk.h"
#include "base/glob.h"
#include "base/status.h"
#include "model/words.h"
#include "op/expand.h"

namespace assay {

// One problem: a KernelBench-format Python file, or an operation that is generated.
struct Workload {
  std::string path;   // absolute; of an operation what names it: "op:matmul[m=64,...]"
  std::string suite;  // the folder's name; two suites of one name become NAME and NAME_2
  // The sub-folder's name; "" when the suite has no levels; "matmul" of what assay generates.
  std::string level;
  std::string name;  // the file's stem

  bool is_generated() const { return path.starts_with(kOpPrefix); }
};

// What a generated workload is.
Result<OpProgram> generated_program(const Workload& workload);

// The precision that a workload has whatever the target's is. An operation of f64 is one at every
// step; any other is compiled as it stands. Nothing of a file: it is cast.
Result<std::optional<Precision>> own_precision(const Workload& workload);

// The KernelBench-format file of a workload. Fails where it cannot be read.
Result<std::string> source_of(const Disk& disk, const Workload& workload);

// Finds the problems below each path: a file; a folder of files; a folder of levels, each a
// folder of files; or what an operation with lists of arguments stands for (op/expand.h). Files and
// folders whose names begin with "_" or "." are left out, and so is what is not *.py. Sorted by
// suite as given, then level, then name. Fails on a path that does not exist, and on one that holds
// no problem: an empty suite is a mistake somewhere.
Result<std::vector<Workload>> find_workloads(const Disk& disk,
                                             const std::vector<std::string>& paths);

// The paths that match one that is a pattern and does not exist as it is written, in their order:
// for patterns that no shell has expanded. Names that begin with "." are matched only by a pattern
// that does. Fails where there is none.
Result<std::vector<std::string>> expand_globs(const Disk& disk,
                                              const std::vector<std::string>& paths);

// Which workloads to take of those found.
struct Selection {
  PathFilter filter;  // over "suite/level/name", or "suite/name" without levels
  size_t limit = 0;   // so many of what the filter leaves, the first ones; 0: all
};
Result<std::vector<Workload>> select_workloads(std::vector<Workload> workloads,
                                               const Selection& selection);

}  // namespace assay

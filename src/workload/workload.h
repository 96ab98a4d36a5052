// From what a command line names to workloads.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/disk.h"
#include "base/glob.h"
#include "base/json.h"
#include "base/status.h"
#include "model/loaded_weights.h"
#include "model/words.h"

namespace assay {

// Who says what a workload's results are to be.
enum class Truth {
  problem,  // its model in torch, for any inputs
  saved,    // a file with results for one set of inputs
  nobody,   // it is compiled, and compared with what a plain compile of it computes
};

// One problem, wherever it comes from (workload/source.h). This is what a plan and a record know of
// it; what it holds is loaded when it is needed.
struct Workload {
  std::string path;  // names it alone: an absolute path, "op:matmul[m=64,...]"
  std::string
      suite;  // two suites of one name become NAME and NAME_2, in the order of their folders
  std::string level;  // "": the suite has none
  std::string name;
  std::string suite_folder{};  // what makes two suites different; "": the name does
  // What candidates may be named by, besides its own name: "matmul", of all that op:matmul makes.
  std::string shared_name{};
  // What others call it, for --filter and --skip: IREE's dispatch profiler, an operation.
  std::string other_name{};
  Truth truth = Truth::problem;
  // It has this precision, whatever a target's is: its program has types of its own.
  std::optional<Precision> precision{};
  // Its file is data that came from somewhere, and no code of the user's: its export runs in a
  // jail, as all else of it does.
  bool exports_in_jail = false;
  // It brings tests along, which candidates are run with (workload/suite_task.h); it is no model.
  bool has_tests = false;
  std::shared_ptr<const LoadedWeights> weights{};  // null: its model draws its own
  std::string cannot_be{};  // not "": why a sweep that asks for it goes without it
  Json about{};             // what its suite says of it, beside it: its difficulty, its category

  // What --filter and --skip go by: "suite/level/name", or "suite/name" without levels.
  std::string selection_path() const;
  // And what else it is called. IREE's dispatch profiler put the configuration's name behind the
  // operation's, of what is compiled: kDefaultTile where the compiler chooses. "": it is not.
  std::vector<std::string> other_names(std::string_view configuration) const;
};

// The workloads that each of the given names stands for, in the order of the names; within one by
// level, then name. A problem that comes twice counts once, in its level if one of the names says
// so. Fails on what does not exist, and on what holds no problem: an empty suite is a mistake
// somewhere. Of a sweep, operations that cannot be are left out, and `left_out` gets a sentence
// for each; null: they are a mistake, too.
Result<std::vector<Workload>> find_workloads(const Disk& disk,
                                             const std::vector<std::string>& given,
                                             std::vector<std::string>* left_out = nullptr);

// The name of a suite of kernels with tests, with those of a folder in the place of its own. Fails
// where it brings no tests along.
Result<std::string> with_tests_of(const std::string& given, const std::string& folder);
// How many of these have none there; "": all have.
std::string note_of_own_tests(std::span<const Workload> workloads);
// What its suite has authors asked for it, as asked_in() (workload/suite_format.h) has it.
std::vector<std::string> asked_of(const Workload& workload);

// The paths that match one that is a pattern and does not exist as it is written, in their order:
// for patterns that no shell has expanded. Names that begin with "." are matched only by a pattern
// that does. Fails where there is none. What is no path stays as it is.
Result<std::vector<std::string>> expand_globs(const Disk& disk,
                                              const std::vector<std::string>& given);

// Which workloads to take of those found.
struct Selection {
  PathFilter filter;  // over selection_path() and other_names()
  size_t limit = 0;   // so many of what the filter leaves, the first ones; 0: all
  // So many, of all levels and shared names about alike; 0: all. The same ones each time.
  size_t sample = 0;
  // Only problems whose names begin with a number in one of these ranges, both ends included, as
  // KernelBench numbers its own: "19_ReLU" is 19. None: all.
  std::vector<std::pair<int, int>> ids{};
  // Of all that compile them: what the filter admits by one of them is taken. "" is none.
  std::vector<std::string> configurations{""};
  // Configurations that are none here, each with what whoever filters by it is told.
  std::vector<std::pair<std::string, std::string>> gone{};
};
Result<std::vector<Workload>> select_workloads(std::vector<Workload> workloads,
                                               const Selection& selection);

}  // namespace assay

// What a program is after each phase of IREE's compiler, and after each of its passes: from the
// texts that the compiler leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "report/table.h"

namespace assay {

// Those of today's IREE, to propose them; a compiler may have others.
inline constexpr std::string_view kUsualPhases[] = {
    "input", "abi",    "preprocessing",      "global-optimization",       "dispatch-creation",
    "flow",  "stream", "executable-sources", "executable-configurations", "executable-targets",
    "hal",   "vm"};

struct Phase {
  int number = 0;    // from 1
  std::string name;  // "flow"
  std::string text;
  int64_t wall_ns = 0;  // of this phase, with what it takes to write it down
};

// "module.6.flow.mlir" is the phase 6, "flow". False: a file's name is none of a phase.
bool read_phase_name(std::string_view file, Phase& phase);

// How often each operation stands in the text of a program: "linalg.generic" 12.
std::map<std::string, size_t> operation_counts(std::string_view text);

// How many operations a program has, and which of them stand in it most often.
struct OperationsSeen {
  size_t all = 0;
  std::string most;  // "linalg.generic 12, arith.addf 4"; "": there is none
};
OperationsSeen operations_seen(std::string_view text);

// A line for each phase: time, size, operations, and the most frequent of those.
std::vector<Row> phase_rows(const std::vector<Phase>& phases);

// What a pass made of the program.
struct PassDump {
  std::string name;   // "CSEPass: cse"
  std::string where;  // "'util.func' operation: @main"; "": the compiler does not say
  std::string text;
};

// Of what --mlir-print-ir-after-all prints, line by line, each pass that changes something, with a
// unified diff to the one before it. It holds two programs and no more: of a whole network all that
// is printed may be gigabytes.
class PassDiffs {
 public:
  using Take = std::function<Status(const std::string& diff)>;

  // `before` is the program that went in. What `take` fails with, line() and end() fail with.
  PassDiffs(std::string_view before, Take take);
  Status line(std::string_view line);  // without its end
  Status end();                        // there is no further line
  bool found_any() const { return found_any_; }

 private:
  std::string last_;
  Take take_;
  std::optional<PassDump> pass_;  // whose text is being read; before the first head there is none
  bool found_any_ = false;
};

}  // namespace assay

// Inside a worker of the compiler image: one program for one target. Two ways to do the same, which
// give the same bytes: the compiler's library, and its command-line tool.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "compile/code_facts.h"
#include "compile/result_file.h"
#include "model/words.h"

namespace assay {

// The name the compiler sees: the same for every program, so that no path gets into the artifact.
// Phases are named after the module in it, which an export always calls `module`:
// module.1.input.mlir.
inline constexpr const char* kProgramName = "kernel.mlir";

// The file that the compiler writes its own counts to.
inline constexpr const char* kStatisticsName = "statistics.json";
inline constexpr const char* kStatisticsFlags[] = {
    "--iree-scheduling-dump-statistics-format=json",
    "--iree-scheduling-dump-statistics-file=statistics.json"};

struct CompileTask {
  std::vector<std::string> flags;
  std::string_view program;         // text; a zero byte follows it
  bool phases = false;              // keep them
  bool dispatch = false;            // say what the program's one call is (direct_dispatch.h)
  bool lowerings = false;           // say how operations are lowered
  std::optional<CodeTools> code{};  // say what the code takes, by these (code_facts.h)
  bool dumps_phases() const {
    return phases || dispatch || lowerings || code;
  }  // into kPhasesFolder
  bool threads = true;
};

class Compiler {
 public:
  virtual ~Compiler() = default;
  // Compiles into `result`, the artifact first. Works in the current folder, which is the worker's
  // own. Returns {"ok": {}}, {"failed": ...} or {"not_judged": ...} of the protocol; with
  // "peak_bytes" where another process did the work.
  virtual Json compile(const CompileTask& task, ResultFile& result) = 0;
};

// Loads the library, in the zygote.
Result<std::unique_ptr<Compiler>> library_compiler(const std::string& library_path);
// Starts `tool` for each target.
std::unique_ptr<Compiler> tool_compiler(const std::string& tool_path);

// {"failed": ...} from what the compiler said; `otherwise` when it said nothing of use.
Json failed_compile(FailureClass failure_class, std::string_view diagnostics,
                    const std::string& otherwise);

// {"not_judged": ...}: what keeps us from compiling says nothing about the program.
Json not_compiled(const std::string& reason);
Json bad_flags(const std::string& complaint);
Json cannot_hand_over(const std::string& what);  // for the reason in errno

// Diagnostics are kept up to here: a failure can print the whole program, more than once.
inline constexpr size_t kKeptDiagnosticsBytes = 256 * 1024;

}  // namespace assay

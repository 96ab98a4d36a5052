#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/disk.h"
#include "compile/compiler.h"
#include "compile/diagnostics.h"
#include "compile/run_tool.h"
#include "model/attempt.h"
#include "sandbox/capture.h"

namespace assay {
namespace {

// What the tool prints, under its own name, for a flag that it does not have, or a value that the
// flag does not take.
bool complains_about_flags(const std::string& tool, const std::string& printed) {
  std::string name = tool.substr(tool.find_last_of('/') + 1);
  auto begins_a_line = [&](const std::string& words) {
    return printed.starts_with(words) || printed.contains("\n" + words);
  };
  return begins_a_line(name + ": Unknown command line argument") ||
         begins_a_line(name + ": for the --");
}

class ToolCompiler final : public Compiler {
 public:
  explicit ToolCompiler(std::string tool) : tool_(std::move(tool)) {}

  Json compile(const CompileTask& task, ResultFile& result) override {
    std::string artifact(kArtifactName);
    if (auto written = system_disk().write(kProgramName, task.program); !written)
      return not_compiled(written.error().message);
    std::vector<std::string> arguments{tool_, kProgramName, "-o", artifact};
    arguments.insert(arguments.end(), task.flags.begin(), task.flags.end());
    arguments.insert(arguments.end(), std::begin(kStatisticsFlags), std::end(kStatisticsFlags));
    if (!task.threads) arguments.emplace_back("--mlir-disable-threading");
    if (task.dumps_phases())
      arguments.push_back("--dump-compilation-phases-to=" + std::string(kPhasesFolder));
    Capture kept(kKeptDiagnosticsBytes / 2);
    rusage usage{};
    int status = run_tool(arguments, kept, usage);
    std::string printed = kept.text();
    Json outcome = judge(status, printed, result);
    outcome["peak_bytes"] = int64_t{usage.ru_maxrss} * 1024;
    return outcome;
  }

 private:
  Json judge(int status, const std::string& printed, ResultFile& result) const {
    std::string artifact(kArtifactName);
    if (WIFSIGNALED(status)) {
      // The worker ends as its tool did, and assay classifies that.
      (void)!::write(STDERR_FILENO, printed.data(), printed.size());
      ::signal(WTERMSIG(status), SIG_DFL);
      ::raise(WTERMSIG(status));
    }
    if (status != 0 && complains_about_flags(tool_, printed)) return bad_flags(printed);
    if (status != 0)
      return failed_compile(classify_diagnostics(printed), printed,
                            "the compiler failed without a reason");
    // Its status alone proves nothing: the file must be there, too.
    if (!system_disk().exists(artifact))
      return failed_compile(FailureClass::codegen, printed,
                            "the compiler reported success and left no artifact");
    if (!result.add_from(artifact, artifact)) return cannot_hand_over("the artifact");
    return {{"ok", Json::object()}};
  }

  std::string tool_;
};

}  // namespace

std::unique_ptr<Compiler> tool_compiler(const std::string& tool_path) {
  return std::make_unique<ToolCompiler>(tool_path);
}

}  // namespace assay

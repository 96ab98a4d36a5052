// A script with the commands of IREE's own tools for each attempt that its compiler made: to
// compile it, to run it once and to time it, without assay.
#include <fmt/format.h>

#include "base/escape.h"
#include "model/tensor.h"
#include "report/format.h"

namespace assay {
namespace {

bool left_an_artifact(const Attempt& attempt) {
  for (const ArtifactRecord& each : attempt.artifacts)
    if (each.name == kArtifactName) return true;
  return false;
}

}  // namespace

std::vector<std::string> commands_files(const ReportInput&) { return {"commands.sh"}; }

void render_commands(const ReportInput& input, ReportSink& sink) {
  sink.begin_file("commands.sh");
  sink.write(
      "#!/bin/sh\n"
      "# What IREE's own tools are called with for each attempt. Inputs are ones: nothing is\n"
      "# verified here, and no time is checked. IREE's tools have to be on PATH.\n"
      "set -e\n");
  for (const Attempt& attempt : input.attempts) {
    const std::string result = input.folder + "/" + attempt.id, folder = result + "/";
    const std::vector<std::string> flags = flags_in_folder(compile_flags_of(attempt), result);
    // Of what did not compile the command is what one wants to see; of candidates there is none.
    if (flags.empty()) continue;
    Json inputs = Json::array();
    for (const StageRecord& stage : attempt.stages)
      if (const Json evidence = evidence_of(stage);
          stage.stage == Stage::export_ && evidence.is_object())
        inputs = evidence.value("inputs", Json::array());
    sink.write("\n# " + printable(utf8(attempt.id), false) + "\niree-compile " +
               shell_quote(folder + std::string(kMlirName)));
    for (const std::string& flag : flags) sink.write(" " + shell_quote(flag));
    const std::string artifact = shell_quote(folder + std::string(kArtifactName));
    sink.write(" -o " + artifact + "\n");
    if (!left_an_artifact(attempt)) continue;
    std::string options;
    // Ones, since the script has no files.
    for (const Json& each : inputs)
      if (const std::string option = ones_for_iree(each); !option.empty())
        options += " " + shell_quote(option);
    for (const char* tool : {"iree-run-module", "iree-benchmark-module"})
      sink.write(fmt::format("{} --module={} --function=main{}\n", tool, artifact, options));
  }
}

}  // namespace assay

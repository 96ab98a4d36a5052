// A script with the commands of IREE's own tools for each attempt that its compiler made: to
// compile it, to run it once and to time it, without assay.
#include <fmt/format.h>

#include "base/escape.h"
#include "report/format.h"

namespace assay {
namespace {

// As IREE's tools take them: "48x32xf32=1". Numbers of one value, since the script has no files.
std::string input_option(const Json& input) {
  std::string type = input.value("dtype", "");
  if (type == "bool") type = "i1";
  if (type == "u8") type = "ui8";
  std::string shape;
  for (const Json& size : input.value("shape", Json::array()))
    if (size.is_number_integer()) shape += std::to_string(size.get<int64_t>()) + "x";
  return shell_quote("--input=" + shape + type + "=1");
}

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
    Json flags, inputs = Json::array();
    for (const StageRecord& stage : attempt.stages) {
      const Json evidence = evidence_of(stage);
      if (!evidence.is_object()) continue;
      if (stage.stage == Stage::compile) flags = evidence.value("flags", Json());
      if (stage.stage == Stage::export_) inputs = evidence.value("inputs", Json::array());
    }
    // Of what did not compile the command is what one wants to see; of candidates there is none.
    if (!flags.is_array()) continue;
    const std::string folder = input.folder + "/" + attempt.id + "/";
    sink.write("\n# " + printable(utf8(attempt.id), false) + "\niree-compile " +
               shell_quote(folder + std::string(kMlirName)));
    for (const Json& flag : flags)
      if (flag.is_string()) sink.write(" " + shell_quote(flag.get<std::string>()));
    const std::string artifact = shell_quote(folder + std::string(kArtifactName));
    sink.write(" -o " + artifact + "\n");
    if (!left_an_artifact(attempt)) continue;
    std::string options;
    for (const Json& each : inputs)
      if (each.is_object() && each.contains("dtype")) options += " " + input_option(each);
    for (const char* tool : {"iree-run-module", "iree-benchmark-module"})
      sink.write(fmt::format("{} --module={} --function=main{}\n", tool, artifact, options));
  }
}

}  // namespace assay

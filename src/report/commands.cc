// A script with the commands of IREE's own tools for each attempt that its compiler made: to
// compile it, to run it once and to time it, without assay.
#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "model/tensor.h"
#include "report/format.h"
#include "verify/runner.h"

namespace assay {
namespace {

bool has_left(const Attempt& attempt, std::string_view name) {
  return std::ranges::any_of(attempt.artifacts,
                             [&](const ArtifactRecord& each) { return each.name == name; });
}

// Whether the program has weights that are no part of it.
bool needs_weights(const Json& exported) {
  const Json parameters = field_or(exported, "parameters", Json());
  return field_or(parameters, "count", int64_t{0}) > 0;
}

// What IREE's tools call the device that the flags compile for; "": they say none.
std::string device_of(const std::vector<std::string>& flags, int threads) {
  std::string device;
  for (const std::string& flag : flags)
    for (const std::string_view option :
         {"--iree-hal-target-device=", "--iree-hal-target-backends="})
      if (flag.starts_with(option)) device = flag.substr(option.size());
  if (device == "local" || device == "llvm-cpu" || device == "vmvx")
    return std::string(iree_driver(threads));
  // As its compiler calls them, and not its runtime.
  if (device == "rocm") return "hip";
  if (const size_t end = device.find("-spirv"); end != std::string::npos) device.resize(end);
  return device;
}

}  // namespace

std::vector<std::string> commands_files(const ReportInput&) { return {"commands.sh"}; }

void render_commands(const ReportInput& input, ReportSink& sink) {
  sink.begin_file("commands.sh");
  sink.write(
      "#!/bin/sh\n"
      "# What IREE's own tools are called with for each attempt. Inputs are ones: nothing is\n"
      "# verified here, and no time is checked. IREE's tools have to be on PATH. What fails does\n"
      "# not end it, and is counted.\n"
      "failed=0\n"
      "run() { echo \"+ $*\"; \"$@\" || failed=$((failed + 1)); }\n");
  for (const Attempt& attempt : input.attempts) {
    const std::string result = input.folder + "/" + attempt.id, folder = result + "/";
    const std::vector<std::string> flags = flags_in_folder(compile_flags_of(attempt), result);
    // Of what did not compile the command is what one wants to see; of candidates there is none.
    if (flags.empty()) continue;
    Json exported = Json::object();
    for (const StageRecord& stage : attempt.stages)
      if (const Json evidence = evidence_of(stage);
          stage.stage == Stage::export_ && evidence.is_object())
        exported = evidence;
    sink.write("\n# " + printable(utf8(attempt.id), false));
    if (!attempt.origin.iree.empty())
      sink.write("\n# Compiled by " + printable(utf8(attempt.origin.iree), false) +
                 ", which may be another version than that on PATH.");
    sink.write("\nrun iree-compile " + shell_quote(folder + std::string(kMlirName)));
    for (const std::string& flag : flags) sink.write(" " + shell_quote(flag));
    const std::string artifact = shell_quote(folder + std::string(kArtifactName));
    sink.write(" -o " + artifact + "\n");
    if (!has_left(attempt, kArtifactName)) continue;
    std::string options;
    if (has_left(attempt, kWeightsName)) {
      options += " " + shell_quote(fmt::format("--parameters=model={}{}", folder, kWeightsName));
    } else if (needs_weights(exported)) {
      sink.write("# It has weights, which `assay run --weights` keeps in a file.\n");
      continue;
    }
    // Ones, since the script has no files.
    for (const char* list : {"inputs", "state"})
      for (const Json& each : exported.value(list, Json::array()))
        if (const std::string option = ones_for_iree(each); !option.empty())
          options += " " + shell_quote(option);
    if (const std::string device = device_of(flags, input.run.settings.threads); !device.empty())
      options = " --device=" + shell_quote(device) + options;
    // What cannot run would only be counted as failed.
    const auto not_here = input.not_here.find(attempt.origin.target);
    const bool is_here = not_here == input.not_here.end();
    if (!is_here) sink.write("# Not run: " + printable(utf8(not_here->second), false) + ".\n");
    for (const char* tool : {"iree-run-module", "iree-benchmark-module"})
      sink.write(fmt::format("{}run {} --module={} --function=main{}\n", is_here ? "" : "# ", tool,
                             artifact, options));
  }
  sink.write("\necho \"$failed failed\"\n[ \"$failed\" = 0 ]\n");
}

}  // namespace assay

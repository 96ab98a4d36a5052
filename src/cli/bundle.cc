#include "cli/bundle.h"

#include <fmt/format.h>

#include <algorithm>

#include "author/author.h"
#include "base/escape.h"
#include "base/places.h"
#include "base/units.h"
#include "base/words.h"
#include "cli/dump.h"
#include "verify/dump.h"
#include "workload/source.h"

namespace assay {
namespace {

constexpr const char* kNumbers = "numbers";

// Of the export's evidence.
Json program_of(const Attempt& attempt) {
  for (const StageRecord& stage : attempt.stages)
    if (stage.stage == Stage::export_) return evidence_of(stage);
  return {};
}

// Why IREE's own tool cannot call it as assay did; "": it can.
std::string why_no_call(const Attempt& attempt) {
  if (attempt.target != "local") return "it is not for this machine";
  const Json program = program_of(attempt);
  if (!program.is_object()) return "nobody knows what it takes";
  if (!program.value("state", Json::array()).empty())
    return "it takes what the model holds as arguments, and a call changes that";
  for (const Json& input : program.value("inputs", Json::array()))
    if (input.value("dtype", "") == "bf16") return "numpy's files have no bf16";
  return "";
}

std::string run_script(const std::vector<std::string>& numbers) {
  std::string script =
      "#!/bin/sh\n"
      "# Calls what compile.sh makes with what the call that went wrong was given.\n"
      "# iree-run-module has to be on PATH.\n"
      "cd \"$(dirname \"$0\")\"\nexec iree-run-module --device=local-sync --module=artifact.vmfb "
      "--function=main";
  auto has = [&](const std::string& name) {
    return std::ranges::find(numbers, name) != numbers.end();
  };
  // What is no tensor is in the program, and has no file.
  for (size_t input = 0; input < numbers.size(); ++input)
    if (const std::string name = fmt::format("input_{}.npy", input); has(name))
      script += fmt::format(" --input=@{}/{}", kNumbers, name);
  if (has(std::string(kDumpedWeights)))
    script += fmt::format(" --parameters=model={}/{}", kNumbers, kDumpedWeights);
  return script + " \"$@\"\n";
}

// What the call that went wrong had; and, where IREE's tool can make that call, a script that does.
Status write_call(const RunStore& store, const Attempt& attempt, const Bundle& bundle,
                  const std::string& folder, Output& output) {
  Disk& disk = system_disk();
  const std::string numbers = join_path(folder, kNumbers);
  if (Status dumped = dump_mismatch(store, bundle.run, attempt, numbers, output); !dumped) {
    if (dumped.error().code == Code::interrupted) return dumped;
    output.write(fmt::format("no numbers of its call: {}\n", dumped.error().describe()));
    return {};
  }
  if (const std::string why = why_no_call(attempt); !why.empty()) {
    output.write(fmt::format("no script that calls it: {}\n", why));
    return {};
  }
  ASSAY_ASSIGN(const auto entries, disk.list(numbers));
  std::vector<std::string> names;
  for (const DirectoryEntry& entry : entries) names.push_back(entry.name);
  ASSAY_TRY(disk.write(join_path(folder, "run.sh"), run_script(names)));
  output.write(fmt::format("then:    sh {}\n", shell_quote(join_path(folder, "run.sh"))));
  return {};
}

Status make_folder(const std::string& folder) {
  if (system_disk().exists(folder))
    return error(Code::invalid_input, "--bundle " + folder + ": it is there already",
                 "name a folder that is not there");
  return system_disk().make_directories(folder);
}

// `versions`: lines of what made the attempt, beside its name.
Status write_about(const Attempt& attempt, const std::string& versions, const std::string& folder) {
  std::string about = fmt::format("attempt         {}\n{}", attempt.id, versions);
  if (const StageRecord* deciding = attempt.deciding_stage())
    about += fmt::format("it ended with   {}: {}\n", to_word(kStageWords, deciding->stage),
                         deciding->error);
  return system_disk().write(join_path(folder, "about.txt"), printable(utf8(about), true));
}

// What exports a problem, of the machine that did.
std::string exporter_versions(const Json& machine) {
  std::string lines;
  for (const char* name : {"Python", "torch", "iree-turbine", "jax", "torchax", "torch-mlir"})
    if (const auto found = machine.find(name); found != machine.end() && found->is_string())
      lines += fmt::format("{:<16}{}\n", name, found->get<std::string>());
  return lines;
}

}  // namespace

Status write_export_bundle(const RunStore& store, const Attempt& attempt, const std::string& folder,
                           Output& output) {
  Disk& disk = system_disk();
  ASSAY_ASSIGN(const Places places, find_places());
  ASSAY_ASSIGN(const Author author, find_author(disk, attempt.origin.author));
  if (!author.type->compiles())
    return error(Code::invalid_input,
                 fmt::format("{} has nothing to bundle: {} compiles nothing by IREE", attempt.id,
                             attempt.author),
                 "--bundle is for attempts by iree");
  ASSAY_ASSIGN(const auto workloads, find_workloads(disk, {attempt.path}));
  ASSAY_ASSIGN(const LoadedWorkload loaded, load_workload(disk, workloads.front()));
  if (!loaded.shown.empty())
    return error(Code::invalid_input,
                 fmt::format("{} is no problem in Python: --bundle has no script that exports it",
                             attempt.path),
                 "hand the file in as it is");
  ASSAY_ASSIGN(const std::string script, disk.read(join_path(places.python, "export_alone.py")));
  ASSAY_TRY(make_folder(folder));
  ASSAY_TRY(disk.write(join_path(folder, "problem.py"), loaded.python));
  ASSAY_TRY(disk.write(join_path(folder, "export.py"), script));
  ASSAY_TRY(write_about(attempt, exporter_versions(store.record().machine), folder));
  output.write(fmt::format("written: {}\n", folder));
  if (hash_of(loaded) != attempt.origin.problem_sha256)
    output.write("the problem's file has changed since\n");
  std::string options = fmt::format("--by {}", to_word(kRouteWords, author.type->own->route));
  if (attempt.precision != Precision::f32)
    options += fmt::format(" --dtype {}", to_word(kPrecisionWords, attempt.precision));
  if (attempt.mode == "train") options += " --train";
  output.write(fmt::format("try it:  python3 {} {}\n", shell_quote(join_path(folder, "export.py")),
                           options));
  return {};
}

Status write_bundle(const RunStore& store, const Attempt& attempt, const Bundle& bundle,
                    const std::string& folder, Output& output) {
  Disk& disk = system_disk();
  ASSAY_TRY(make_folder(folder));
  for (const std::string_view name : {kMlirName, kTuningLibraryName}) {
    const std::string path = join_path(bundle.program_folder, name);
    if (!disk.exists(path)) continue;
    ASSAY_ASSIGN(const std::string text, disk.read(path));
    ASSAY_TRY(disk.write(join_path(folder, name), text));
  }
  std::string script =
      "#!/bin/sh\n"
      "# Compiles kernel.mlir as assay did. iree-compile has to be on PATH.\n"
      "cd \"$(dirname \"$0\")\"\nexec iree-compile kernel.mlir";
  for (const std::string& flag : bundle.flags) script += " " + shell_quote(flag);
  ASSAY_TRY(disk.write(join_path(folder, "compile.sh"), script + " -o artifact.vmfb \"$@\"\n"));
  ASSAY_TRY(write_about(attempt, fmt::format("IREE            {}\n", bundle.compiler), folder));
  output.write(fmt::format("written: {}\ntry it:  sh {}\n", folder,
                           shell_quote(join_path(folder, "compile.sh"))));
  const StageRecord* deciding = attempt.deciding_stage();
  if (deciding && deciding->stage == Stage::verify)
    ASSAY_TRY(write_call(store, attempt, bundle, folder, output));
  return {};
}

}  // namespace assay

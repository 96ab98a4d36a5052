#include <fmt/format.h>

#include "author/author.h"
#include "base/words.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/selection.h"
#include "cli/tools.h"
#include "compile/flags.h"
#include "engine/suite.h"
#include "target/host_cpu.h"

namespace assay {
namespace {

Status list_targets(const Places& places, const std::string& name, Output& output) {
  TargetCatalog catalog = target_catalog(system_disk(), places);
  if (name.empty()) {
    for (const std::string& each : catalog.names()) {
      auto target = catalog.load(each);
      // One broken file of the user's must not hide the others.
      output.write(target ? fmt::format("{:<12} {}\n", each, target->title)
                          : fmt::format("{:<12} broken: {}\n", each, target.error().describe()));
    }
    return {};
  }
  ASSAY_ASSIGN(Target target, catalog.load(name));
  output.write(fmt::format(
      "{}\n  title      {}\n  file       {}\n  precision  {}\n  runner     {}\n", target.name,
      target.title, target.path, to_word(kPrecisionWords, target.precision),
      to_word(kRunnerWords, target.runner)));
  if (compiles_for_host(target))
    output.write(fmt::format("  host CPU   {}\n", host_cpu_identity(system_disk())));
  output.write("  flags\n");
  for (const std::string& flag : resolve_flags(target)) output.write("    " + flag + "\n");
  return {};
}

Status list_authors(const std::string& name, Output& output) {
  if (!name.empty()) ASSAY_TRY(find_author(name));
  for (const Author& author : authors())
    if (name.empty() || author.name == name)
      output.write(fmt::format("{:<12} {}\n", author.name, author.title));
  return {};
}

Status list_workloads(const Places& places, const std::string& name, const Selection& selection,
                      Output& output) {
  const Disk& disk = system_disk();
  std::vector<std::string> paths;
  if (name.empty()) {
    ASSAY_ASSIGN(auto suites, disk.list(places.suites));
    for (const DirectoryEntry& suite : suites)
      if (suite.is_directory) paths.push_back(join_path(places.suites, suite.name));
  } else {
    paths.push_back(suite_path(disk, places, name));
    ASSAY_ASSIGN(paths, expand_globs(disk, paths));
  }
  ASSAY_ASSIGN(auto workloads, find_named_workloads(disk, places, paths));
  ASSAY_ASSIGN(workloads, select_workloads(std::move(workloads), selection));
  for (const Workload& workload : workloads) {
    std::string level = workload.level.empty() ? "" : workload.level + "/";
    output.write(fmt::format("{}/{}{}  {}\n", workload.suite, level, workload.name, workload.path));
  }
  return {};
}

}  // namespace

Result<int> list_command(const Arguments& arguments, Output& output) {
  const std::string& kind = arguments.positional("KIND").front();
  const auto& names = arguments.positional("NAME");
  std::string name = names.empty() ? "" : names.front();
  ASSAY_ASSIGN(Selection selection, parse_selection(arguments));
  ASSAY_ASSIGN(Places places, find_places());
  Status listed;
  if (kind == "targets") {
    listed = list_targets(places, name, output);
  } else if (kind == "authors") {
    listed = list_authors(name, output);
  } else if (kind == "workloads") {
    listed = list_workloads(places, name, selection, output);
  } else {
    std::vector<std::string> known{"workloads", "authors", "targets"};
    return error(Code::invalid_input, "there are no '" + kind + "'" + suggestion(kind, known));
  }
  ASSAY_TRY(listed);
  return 0;
}

}  // namespace assay

#include "cli/run_place.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/version.h"
#include "compile/link.h"
#include "setup/emulated_runner.h"
#include "setup/emulators.h"
#include "setup/tools.h"
#include "setup/verify_tools.h"

namespace assay {
namespace {

bool compiles(const Request& request) {
  auto is_compiled = [](const Author& author) { return author.type->compiles(); };
  return std::ranges::any_of(request.authors, is_compiled) ||
         std::ranges::any_of(request.baselines, is_compiled);
}

}  // namespace

Result<std::unique_ptr<RunPlace>> open_run_place(const Places& places, Request& request,
                                                 bool verifies, bool trust) {
  auto opened = std::make_unique<RunPlace>();
  Disk& disk = system_disk();
  ASSAY_ASSIGN(std::string python, find_python(places));
  ASSAY_ASSIGN(opened->python, describe_python(python, places));
  Tools& tools = opened->tools;
  ASSAY_ASSIGN(tools, find_tools(disk, places, opened->python, request.settings.compiler,
                                 request.iree, compiles(request)));
  for (const auto* authors : {&request.authors, &request.baselines})
    for (const Author& author : *authors) {
      if (author.compiler.empty() || tools.other_compilers.contains(author.compiler)) continue;
      auto other = find_compiler_at(disk, places, author.compiler, request.settings.compiler);
      if (!other) return while_doing(other.error(), "looking for the compiler of " + author.name);
      tools.other_compilers[author.compiler] = std::move(*other);
    }
  // What is only exported may have to be so in a jail.
  if (verifies || std::ranges::any_of(request.workloads, &Workload::exports_in_jail)) {
    ASSAY_ASSIGN(tools.verify, find_verify_tools(disk, this_machine(), places, opened->python,
                                                 request.settings, trust));
    for (const Target& target : request.targets)
      if (target.card) add_card(tools.verify, disk, *target.card);
    ASSAY_ASSIGN(tools.judge, find_judge_settings(disk, places, request.settings));
  }
  ASSAY_ASSIGN(opened->place, Workplace::create(tools, request.force ? CachedLibraries::Use::replace
                                                                     : CachedLibraries::Use::all));
  ASSAY_ASSIGN(std::string cache_folder, find_cache_folder());
  prepare_links(disk, this_machine(), request.targets, tools.compiler.path,
                join_path(cache_folder, "link"));
  opened->record = {request.settings, kVersionText, system_clock().utc(),
                    describe_machine(disk, opened->python, tools)};
  ASSAY_ASSIGN(opened->store, RunStore::open_to_write(disk, request.folder, opened->record));
  ASSAY_TRY(opened->place->have_children_in(join_path(request.folder, ".scratch")));
  return opened;
}

Status prepare_emulated(const Places& places, const Plan& plan, Output& output) {
  std::set<const Target*> emulated;  // of thousands of attempts few
  for (const Lane& lane : plan.lanes)
    for (const Planned& each : lane.planned)
      if (each.verified && each.candidate.form->is_emulated()) emulated.insert(each.target);
  std::vector<Target> targets;
  for (const Target* each : emulated) targets.push_back(*each);
  ASSAY_ASSIGN(const std::string cache_folder, find_cache_folder());
  return prepare_emulators(system_disk(), this_machine(), places, targets,
                           join_path(cache_folder, kEmulatedFolder),
                           [&](const std::string& line) { output.remark(line + "\n"); });
}

}  // namespace assay

#include "cli/find_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "base/cores.h"
#include "cli/add_target.h"
#include "cli/find_authors.h"
#include "cli/option_values.h"
#include "cli/selection.h"
#include "setup/tools.h"
#include "workload/bundled.h"
#include "workload/graph_file.h"
#include "workload/source.h"
#include "workload/weights_folder.h"
#include "workload/workload.h"

namespace assay {
namespace {

std::string default_folder(const std::vector<std::string>& paths) {
  const Source& source = source_of(paths.front());
  if (!source.is_on_disk)
    return join_path("runs", source.prefix.substr(0, source.prefix.find(':')));
  const auto graph = graph_file_of(paths.front());
  std::filesystem::path first(absolute_path(graph.value_or(paths.front())));
  const bool is_problem = graph || first.extension() == ".py";
  std::string name = is_problem ? first.stem().string() : first.filename().string();
  return join_path("runs", name.empty() ? "run" : name);
}

void add_configurations(const std::vector<Author>& authors, Selection& selection) {
  std::set<std::string> names;
  auto is_one = [](const Author& author) { return !author.configuration().empty(); };
  const bool has_some = std::ranges::any_of(authors, is_one);
  for (const Author& author : authors) {
    const bool chooses = has_some && author.type->compiles() && !is_one(author);
    names.insert(chooses ? std::string(kDefaultTile) : author.configuration());
    if (!author.configurations) continue;
    for (const Configuration& each : *author.configurations)
      if (!each.instead_of.name.empty())
        selection.gone.emplace_back(each.instead_of.name, stands_in(each));
  }
  selection.configurations.assign(names.begin(), names.end());
}

}  // namespace

Result<FoundProblems> find_problems(const Arguments& arguments, const Places& places,
                                    const std::string& fallback, const std::vector<Author>& authors,
                                    std::vector<std::string>* left_out) {
  FoundProblems found;
  std::vector<std::string> all = arguments.positional("PATH...");
  if (all.empty() && !fallback.empty()) all = {fallback};
  if (all.empty())
    return error(Code::invalid_input, "it names no problem",
                 "name a problem's file, a folder of them, a bundled suite, or an operation");
  for (const std::string& given : all) {
    std::string path = suite_path(system_disk(), places, given);
    if (arguments.given("--tests")) {
      ASSAY_ASSIGN(path, with_tests_of(path, arguments.text("--tests")));
    }
    found.paths.push_back(std::move(path));
  }
  ASSAY_ASSIGN(found.paths, expand_globs(system_disk(), found.paths));
  ASSAY_ASSIGN(Selection selection, parse_selection(arguments));
  if (!authors.empty()) add_configurations(authors, selection);
  found.filter = selection.filter;
  ASSAY_ASSIGN(found.workloads, find_named_workloads(system_disk(), places, found.paths, left_out));
  ASSAY_ASSIGN(found.workloads, select_workloads(std::move(found.workloads), selection));
  auto has_own = std::ranges::find_if(
      found.workloads, [](const Workload& each) { return each.precision.has_value(); });
  if (arguments.given("--precision") && has_own != found.workloads.end())
    return error(
        Code::invalid_input,
        fmt::format("--precision does not apply to {}: it names its own types", has_own->path),
        "leave it out; op:NAME takes dtype=f16 between its brackets");
  return found;
}

Status find_targets(const Arguments& arguments, const Places& places, Request& request) {
  ASSAY_ASSIGN(request.baselines, find_baselines(request.settings.timing));
  TargetCatalog catalog = target_catalog(system_disk(), places);
  for (const std::string& name : arguments.list("--on"))
    ASSAY_TRY(add_target(catalog, name, request.settings, request.targets));
  return {};
}

Status find_work(const Arguments& arguments, const Places& places, const std::string& fallback,
                 Request& request, bool goes_without) {
  std::vector<std::string> left_out;
  ASSAY_ASSIGN(FoundProblems problems, find_problems(arguments, places, fallback, request.authors,
                                                     goes_without ? &left_out : nullptr));
  if (std::string note = note_of_own_tests(problems.workloads);
      arguments.given("--tests") && !note.empty())
    request.notes.push_back(std::move(note));
  if (!left_out.empty())
    request.notes.push_back(
        fmt::format("left out, since no program can be made of it: {}{}", left_out.front(),
                    left_out.size() > 1 ? fmt::format(" (and {} more)", left_out.size() - 1) : ""));
  request.workloads = std::move(problems.workloads);
  request.filter = std::move(problems.filter);
  const std::string& folder = arguments.text("--out");
  request.folder = absolute_path(folder.empty() ? default_folder(problems.paths) : folder);
  return {};
}

Status load_weights(Request& request) {
  RunSettings& settings = request.settings;
  if (settings.load_weights.empty()) return {};
  ASSAY_ASSIGN(LoadedWeights found, find_weights(system_disk(), settings.load_weights));
  settings.load_weights = found.folder;
  settings.weights_sha256 = found.sha256;
  return load_with(request.workloads, std::make_shared<const LoadedWeights>(std::move(found)));
}

Status refuse_without_model(const std::vector<Workload>& workloads, std::string_view command) {
  for (const Workload& workload : workloads) {
    if (workload.has_tests)
      return error(Code::invalid_input,
                   fmt::format("assay {} goes by models, and {} is a kernel with tests of its own",
                               command, workload.path),
                   "assay run judges answers to such kernels: --by file:RESULTS");
    if (workload.truth != Truth::problem)
      return error(
          Code::invalid_input,
          fmt::format("assay {} goes by models, and nothing says in torch what {} is to "
                      "compute",
                      command, workload.path),
          fmt::format("write {}.py beside it; assay run compiles it as it is", workload.name));
  }
  return {};
}

Status add_ways_of_running(const Arguments& arguments, Request& request) {
  request.cores = usable_cores(system_disk());
  ASSAY_ASSIGN(request.jobs, parse_jobs(arguments));
  request.force = arguments.given("--force");
  if (arguments.given("--iree")) request.iree = absolute_path(arguments.text("--iree"));
  return {};
}

}  // namespace assay

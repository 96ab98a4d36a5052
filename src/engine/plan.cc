#include "engine/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <utility>

#include "author/author.h"
#include "base/escape.h"
#include "base/units.h"

namespace assay {
namespace {

// Every setting that is not what it would be without being said.
std::string settings_in_words(const RunSettings& settings) {
  const RunSettings standard;
  std::string words;
  if (settings.mode != standard.mode) words += " --mode " + settings.mode;
  if (settings.precision)
    words += fmt::format(" --precision {}", to_word(kPrecisionWords, *settings.precision));
  for (const std::string& flag : settings.flags) words += " --flag=" + shell_quote(flag);
  if (settings.compiler != standard.compiler)
    words += fmt::format(" --compiler {}", to_word(kCompilerKindWords, settings.compiler));
  if (settings.debug_info) words += " --debug-info";
  if (settings.phases) words += " --phases";
  if (settings.weights) words += " --weights";
  return words;
}

std::string reproduce_command(const Workload& workload, const std::string& author,
                              const Target& target, const Request& request) {
  std::string iree = request.iree.empty() ? "" : " --iree " + shell_quote(request.iree);
  return fmt::format(
      "assay run {} --by {} --on {} --until {}{}{} --timeout {} --memory {} --out {}",
      shell_quote(workload.path), author, shell_quote(target.reference), request.settings.until,
      settings_in_words(request.settings), iree, exact_duration(request.settings.timeout_ns),
      exact_bytes(request.settings.memory_bytes), shell_quote("runs/again-" + workload.name));
}

}  // namespace

Result<Plan> make_plan(const Request& request) {
  Plan plan;
  std::set<std::string> ids;
  std::vector<const Author*> authors;
  for (const std::string& name : request.authors) {
    ASSAY_ASSIGN(const Author* author, find_author(name));
    authors.push_back(author);
    for (const Target& target : request.targets)
      if (!author->serves(target)) plan.not_applicable.push_back(name + " on " + target.name);
  }
  for (const Workload& workload : request.workloads) {
    std::map<Precision, Lane> lanes;
    for (const Author* author : authors) {
      for (const Target& target : request.targets) {
        if (!author->serves(target)) continue;
        Attempt attempt;
        attempt.workload = workload.name;
        attempt.path = workload.path;
        attempt.suite = workload.suite;
        attempt.level = workload.level;
        attempt.author = author->name;
        attempt.target = target.name;
        attempt.precision = target.precision;
        attempt.mode = request.settings.mode;
        attempt.reproduce = reproduce_command(workload, attempt.author, target, request);
        attempt.id = attempt_id(attempt);
        if (!ids.insert(attempt.id).second)
          return error(Code::invalid_input,
                       fmt::format("two of the given problems would both be '{}'", attempt.id),
                       "rename one of the files, or run them into different folders");
        Lane& lane = lanes[target.precision];
        lane.workload = &workload;
        lane.precision = target.precision;
        lane.planned.push_back({std::move(attempt), &target});
        ++plan.attempts;
      }
    }
    for (auto& [precision, lane] : lanes) plan.lanes.push_back(std::move(lane));
  }
  return plan;
}

}  // namespace assay

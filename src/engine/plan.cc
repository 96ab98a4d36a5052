#include "engine/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <utility>

#include "author/author.h"
#include "base/escape.h"
#include "base/hash.h"
#include "base/units.h"
#include "compile/flags.h"
#include "target/host_cpu.h"

namespace assay {
namespace {

std::string reproduce_command(const Workload& workload, const std::string& author,
                              const Target& target, const Request& request) {
  return fmt::format("assay run {} --by {} --on {} --until {} --timeout {} --memory {} --out {}",
                     shell_quote(workload.path), author, shell_quote(target.reference),
                     request.settings.until, exact_duration(request.settings.timeout_ns),
                     exact_bytes(request.settings.memory_bytes),
                     shell_quote("runs/again-" + workload.name));
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

std::string fingerprint(const Attempt& attempt, const Target& target, std::string_view source,
                        const Request& request, const Tools& tools) {
  Json parts{{"source", sha256(source)},
             {"flags", resolve_flags(target, tools.compiler_version)},
             {"host_cpu", compiles_for_host(target) ? tools.host_cpu : ""},
             {"precision", to_word(kPrecisionWords, attempt.precision)},
             {"mode", attempt.mode},
             {"until", request.settings.until},
             {"python", tools.python_environment},
             {"torch", tools.torch_version},
             {"turbine", tools.turbine_version},
             {"compiler", tools.compiler_identity},
             {"worker", tools.worker_identity}};
  return sha256(dump_json(parts));
}

}  // namespace assay

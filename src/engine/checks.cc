#include "engine/checks.h"

#include <map>
#include <utility>

#include "engine/plan.h"
#include "engine/procedures.h"
#include "run/outcome.h"

namespace assay {
namespace {

Lint not_looked_at(const Error& why) {
  Lint lint;
  lint.stage = not_judged_stage(Stage::verify, why.describe());
  return lint;
}

Result<LintJob> job_for(const Disk& disk, const Workload& workload, const CheckSettings& settings) {
  ASSAY_ASSIGN(std::string source, source_of(disk, workload));
  ASSAY_ASSIGN(auto precision, own_precision(workload));
  return LintJob{workload.path,       std::move(source),
                 settings.mode,       precision.value_or(settings.precision),
                 settings.timeout_ns, settings.memory_bytes};
}

}  // namespace

Status check_workloads(const Disk& disk, Spawner& spawner, std::span<const Workload> workloads,
                       const CheckSettings& settings,
                       const std::function<void(const Workload&, const Lint&)>& tell) {
  Procedures<size_t, Result<Lint>> procedures(spawner);
  std::map<size_t, Lint> known;
  size_t next = 0, told = 0;
  auto interrupted = [&] {
    procedures.end_all();
    spawner.stop_all();
    return error(Code::interrupted, "interrupted");
  };
  while (true) {
    if (spawner.interrupted()) return interrupted();
    while (next < workloads.size() && procedures.count() < settings.jobs) {
      size_t place = next++;
      auto job = job_for(disk, workloads[place], settings);
      if (!job) {
        known.emplace(place, not_looked_at(job.error()));
        continue;
      }
      procedures.start(place, [job = std::move(*job), &settings](Children& children) {
        return lint(job, settings.tools, children);
      });
    }
    for (auto found = known.find(told); found != known.end(); found = known.find(++told)) {
      tell(workloads[told], found->second);
      known.erase(found);
    }
    if (told == workloads.size()) return {};
    ASSAY_ASSIGN(Event event, spawner.next(kLookEveryNs));
    if (event.kind == Event::Kind::interrupted) return interrupted();
    procedures.switchboard().serve();
    for (auto& [place, lint] : procedures.take_ended())
      known.emplace(place, lint ? std::move(*lint) : not_looked_at(lint.error()));
    procedures.switchboard().deliver(event);
  }
}

}  // namespace assay

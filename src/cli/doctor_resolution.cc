#include "cli/doctor_resolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/places.h"
#include "base/units.h"
#include "measure/interval.h"
#include "measure/resolution.h"
#include "measure/resolution_file.h"
#include "sandbox/process_spawner.h"
#include "session/procedures.h"
#include "setup/verify_tools.h"

namespace assay {
namespace {

// ln of a ratio, as a change in percent.
double percent(double logarithm) { return 100 * std::expm1(logarithm); }

Result<ResolutionJob> job_for(const Places& places) {
  RunSettings settings;
  settings.memory_bytes = uint64_t{1} << 30;
  settings.timeout_ns = 60'000'000'000;
  // As strong a jail as there is: what is run is assay's own. No Python takes part.
  const bool trust = true;
  ASSAY_ASSIGN(VerifyTools tools, find_verify_tools(system_disk(), this_machine(), places,
                                                    PythonDescription{}, settings, trust));
  ASSAY_ASSIGN(std::string kernel, system_disk().read(places.probe_kernel));
  return ResolutionJob{tools.runners.at(native_runner().name), tools.limits, std::move(kernel)};
}

Result<Resolution> try_out(const ResolutionJob& job) {
  ASSAY_ASSIGN(std::string scratch, make_scratch_folder());
  ASSAY_ASSIGN(auto spawner, ProcessSpawner::create(scratch));
  Procedures<int, Result<Resolution>> procedures(*spawner);
  procedures.start(0, [&](Children& children) {
    return measure_resolution(job, children, [&]() -> Status {
      if (spawner->interrupted()) return error(Code::interrupted, "interrupted");
      return {};
    });
  });
  while (true) {
    ASSAY_ASSIGN(Event event, spawner->next(kLookEveryNs));
    if (event.kind == Event::Kind::interrupted) {
      procedures.end_all();
      spawner->stop_all();
      return error(Code::interrupted, "interrupted");
    }
    procedures.serve();
    procedures.deliver(event);
    for (auto& [unused, found] : procedures.take_ended()) return std::move(found);
  }
}

}  // namespace

Status try_timing(Doctor& doctor) {
  ASSAY_ASSIGN(Places places, find_places());
  ASSAY_ASSIGN(ResolutionJob job, job_for(places));
  ASSAY_ASSIGN(Resolution found, try_out(job));
  doctor.good("timing: null window",
              fmt::format("{} on the wall, {} of CPU time", format_duration(found.null_wall_ns),
                          format_duration(found.null_cpu_ns)));
  if (const int least = kLooks[0].launches; std::min(found.launches, found.in_a_minute) < least) {
    doctor.note("timing: resolution",
                fmt::format("nothing is decided in a minute: that takes {} launches, and one takes "
                            "{} here",
                            least, format_duration(found.launch_ns)));
    return {};
  }
  doctor.good(
      "timing: resolution",
      fmt::format("{:.1f} %: differences from there on are mostly decided in a minute, of a kernel "
                  "of {} on one thread ({} launches of {})",
                  percent(found.smallest()), format_duration(found.call_ns), found.launches,
                  format_duration(found.launch_ns)));
  if (auto cache = find_cache_folder()) {
    const KeptResolution kept{system_clock().utc(), std::expm1(found.smallest()), found.call_ns};
    ASSAY_TRY(keep_resolution(system_disk(), *cache, identity_of_this_machine(), kept));
  }
  doctor.good(
      "timing: of that",
      fmt::format("{:.2f} % dead band, twice {:.2f} % scatter between launches, {:.2f} % windows",
                  percent(kDeadBand), percent(found.scatter), percent(found.window_cost)));
  return {};
}

}  // namespace assay

#include "cli/doctor_timing.h"

#include <fmt/format.h>

#include <vector>

#include "base/disk.h"
#include "base/places.h"
#include "target/calibration.h"
#include "target/mend_timing.h"
#include "target/timing_advice.h"

namespace assay {
namespace {

void check_calibration(Doctor& doctor) {
  auto folder = find_cache_folder();
  if (!folder) return;  // the check of the cache says it
  auto found = find_calibration(system_disk(), *folder, identity_of_this_machine());
  if (!found)
    doctor.note("timing: peaks", found.error().message + "; " + found.error().next);
  else if (!found->calibration)
    doctor.note("timing: peaks", found->note);
  else
    doctor.good("timing: peaks", "calibrated " + found->calibration->created);
}

}  // namespace

void check_timing(Doctor& doctor) {
  for (const TimingAdvice& advice : timing_advice(timing_facts_of_this_machine())) {
    const std::string what = "timing: " + advice.what;
    if (advice.is_fine)
      doctor.good(what, advice.found);
    else
      doctor.note(what, advice.found);
  }
  check_calibration(doctor);
}

int fix_timing(Output& output) {
  const std::vector<TimingMend> mends = timing_mends(system_disk());
  std::string undo;
  int status = 0;
  for (const TimingMend& mend : mends) {
    if (Status done = apply(mend, system_disk(), write_setting); !done) {
      output.write(fmt::format("  {:<8} {}\n           mend: {}\n", "MISSING", done.error().message,
                               done.error().next));
      status = 2;
      continue;
    }
    output.write(fmt::format("  {:<8} {}: {}, was {}\n", "mended", mend.path, mend.to, mend.from));
    undo += fmt::format("  echo {} >{}\n", mend.from, mend.path);
  }
  if (mends.empty())
    output.write("nothing to mend: what could be set here is as it should be, or is not visible\n");
  if (!undo.empty())
    output.write("until the system starts again; to undo it before, as root:\n" + undo);
  return status;
}

}  // namespace assay

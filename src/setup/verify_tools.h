#pragma once

#include "base/disk.h"
#include "base/places.h"
#include "base/status.h"
#include "judge/judge.h"
#include "model/run_record.h"
#include "run/cuda/card.h"
#include "run/python.h"
#include "target/machine.h"
#include "verify/verify.h"

namespace assay {

// A Python with torch, which is all that judging takes. Fails with what to install.
Result<PythonDescription> python_with_torch(const Places& places);

// A folder of its own below $TMPDIR, for a spawner, which removes it.
Result<std::string> make_scratch_folder();

// What candidates are verified with, in the strongest jail that this machine gives. Fails where
// that is weaker than the settings ask for; without a word of theirs it must be a jail at all,
// unless `trust`.
Result<VerifyTools> find_verify_tools(const Disk& disk, const Machine& machine,
                                      const Places& places, const PythonDescription& python,
                                      const RunSettings& settings, bool trust);

// Has candidates in Python run on the card that is here, too: in the same jail, with the nodes of
// that one card and its driver.
void add_card(VerifyTools& tools, const Disk& disk, const cuda::Card& card);

// What a policy has rules do, and what is known of this machine where something is timed.
Result<JudgeSettings> find_judge_settings(const Disk& disk, const Places& places,
                                          const RunSettings& settings);

}  // namespace assay

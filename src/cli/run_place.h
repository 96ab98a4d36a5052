// What a command works with that fills a run's folder: tools, a place for children, the store.
#pragma once

#include <memory>
#include <optional>

#include "base/places.h"
#include "cli/output.h"
#include "model/run_record.h"
#include "session/plan.h"
#include "session/request.h"
#include "session/workplace.h"
#include "store/run_store.h"

namespace assay {

struct RunPlace {
  PythonDescription python;
  Tools tools;
  std::unique_ptr<Workplace> place;
  RunRecord record;
  std::optional<RunStore> store;
};

// Looks for what the request takes, and opens its folder. `verifies`: candidates are run. `trust`:
// also where there is no jail.
Result<std::unique_ptr<RunPlace>> open_run_place(const Places& places, Request& request,
                                                 bool verifies, bool trust);

// Makes what emulators are to run that verify something of the plan. That takes a while, which is
// told beside the output.
Status prepare_emulated(const Places& places, const Plan& plan, Output& output);

}  // namespace assay

// Drives every planned attempt through its stages.
#pragma once

#include "base/clock.h"
#include "base/disk.h"
#include "base/memory_gauge.h"
#include "engine/events.h"
#include "engine/plan.h"
#include "engine/request.h"
#include "store/cache.h"
#include "store/run_store.h"

namespace assay {

// What the engine works with. All must outlive the run.
struct World {
  Disk& disk;
  const MemoryGauge& memory;
  const Clock& clock;
  Spawner& spawner;
  Cache& cache;
  RunStore& store;
  Events& events;
};

// Runs the plan to its end, or until the user interrupts: then fails with Code::interrupted, with
// everything finished so far in the store. Any other error is an inability of assay or the machine;
// what was finished is in the store, too.
Status run_plan(const Request& request, const Tools& tools, Plan plan, World world);

}  // namespace assay

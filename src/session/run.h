// A run: a plan, taken to its end, with its attempts in a store.
#pragma once

#include "session/plan.h"
#include "session/session.h"
#include "store/run_store.h"

namespace assay {

// Attempts that the store holds, made from the same of everything, are not computed again. Ends as
// run_session() does.
Status run_plan(const Request& request, const Tools& tools, Plan plan, RunStore& store,
                World world);

}  // namespace assay

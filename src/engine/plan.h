// workloads x authors x targets -> attempts, and which of them are left to do.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/request.h"
#include "model/attempt.h"
#include "store/run_store.h"

namespace assay {

// One planned attempt: its record so far (identity, no stages) and its target.
struct Planned {
  Attempt attempt;
  const Target* target = nullptr;
};

// What one export serves: all attempts on one workload at one precision.
struct Lane {
  const Workload* workload = nullptr;
  Precision precision = Precision::f32;
  std::vector<Planned> planned;
};

struct Plan {
  std::vector<Lane> lanes;
  size_t attempts = 0;
  // Cells that an author can never serve: "eager on a72". Not planned.
  std::vector<std::string> not_applicable;
};

// The request must outlive the plan. Fails when two workloads would get one id.
Result<Plan> make_plan(const Request& request);

}  // namespace assay

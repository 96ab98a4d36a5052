// workloads x authors x targets -> attempts, and which of them are left to do.
#pragma once

#include <expected>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/lane.h"
#include "session/own_targets.h"
#include "session/request.h"

namespace assay {

struct Plan {
  std::vector<Lane> lanes;
  std::list<Target> own_targets;  // own_targets.h
  size_t attempts = 0;
  // Cells that an author can never serve: "eager on a72". Not planned.
  std::vector<std::string> not_applicable;
  // A line for each author with files that belong to none of the problems: a name may be misspelt.
  // And for each that is timed and has nothing for some of them; and for what is asked for and
  // cannot be timed here, or says little.
  std::vector<std::string> notes;
};

// The request must outlive the plan. Fails when two workloads would get one id, and where a file of
// an author's fits no workload at all.
Result<Plan> make_plan(const Request& request, const Machine& machine);

// One candidate that came by itself, as a lane of its own: what a plan has of it, judged on
// `terms`. The target must outlive the lane.
Lane candidate_lane(const Request& request, const Workload& workload, const Author& author,
                    const Candidate& candidate, const Target& target,
                    std::vector<PlannedBaseline> baselines, std::shared_ptr<const Terms> terms,
                    const Machine& machine);

}  // namespace assay

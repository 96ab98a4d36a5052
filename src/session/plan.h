// workloads x authors x targets -> attempts, and which of them are left to do.
#pragma once

#include <expected>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/lane.h"
#include "session/request.h"

namespace assay {

// The target at this precision, if it is to have another than its own; `kept` holds those made so
// far.
const Target& retyped(const Target& target, std::optional<Precision> precision,
                      std::list<Target>& kept);

// The target as the author has a workload compiled for it: with what it tells the compiler, or as
// it is. Fails with why the author has nothing for it. `kept`: as above.
std::expected<const Target*, std::string> target_of(const Author& author, const Workload& workload,
                                                    const std::optional<OperationFacts>& operation,
                                                    const Target& target, std::list<Target>& kept);

struct Plan {
  std::vector<Lane> lanes;
  // Targets at another precision than their own: an operation that is generated has its type; and
  // targets with a configuration.
  std::list<Target> retyped;
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

// workloads x authors x targets -> attempts, and which of them are left to do.
#pragma once

#include <algorithm>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "author/author.h"
#include "engine/request.h"
#include "model/attempt.h"
#include "store/run_store.h"

namespace assay {

// What an attempt is timed against.
struct PlannedBaseline {
  std::string author;
  Candidate candidate;
};

// One planned attempt: its record so far (identity, no stages), what makes it, and its target.
struct Planned {
  Attempt attempt;
  const Target* target = nullptr;
  Candidate candidate;
  bool verified = false;  // it is to be verified, and can run here
  std::vector<PlannedBaseline> baselines{};
  size_t comparisons = 0;  // with baselines, of all attempts of the run: once it is in its folder

  // Of the problem's export: it is what is judged, or what that is timed against.
  bool needs_artifact() const {
    auto is_artifact = [](const auto& each) {
      return each.candidate.kind == CandidateKind::artifact;
    };
    return is_artifact(*this) || std::ranges::any_of(baselines, is_artifact);
  }
};

// What goes through the stages together, on one workload at one precision: all that one export
// serves, or a single candidate that needs none.
struct Lane {
  const Workload* workload = nullptr;
  Precision precision = Precision::f32;
  std::vector<Planned> planned;
};

struct Plan {
  std::vector<Lane> lanes;
  // Targets at another precision than their own: an operation that is generated has its type.
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

}  // namespace assay

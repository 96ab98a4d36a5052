// What a session works on: attempts, in lanes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "author/candidate.h"
#include "author/offers.h"
#include "model/attempt.h"
#include "model/run_record.h"
#include "target/target.h"
#include "verify/tools.h"
#include "workload/source.h"

namespace assay {

// What an attempt is timed against.
struct PlannedBaseline {
  std::string author;
  Candidate candidate{};
  const Target* target = nullptr;  // of an artifact: what it is compiled for
};

// One attempt that is to be made: its record so far (identity, no stages), what makes it, and its
// target.
struct Planned {
  Attempt attempt{};
  const Target* target = nullptr;
  Candidate candidate{};
  bool verified = false;  // it is to be verified, and can run here
  std::vector<PlannedBaseline> baselines{};
  size_t comparisons = 0;  // with baselines, of all attempts of the run: once it is in its folder
  // As it was accepted before, in this run: unless something has changed since, it is only timed.
  std::shared_ptr<const Attempt> before{};
  PassOf pass{};  // over all problems

  // By which route; of those that need one.
  Route route() const {
    if (candidate.form->is_artifact()) return candidate.route;
    for (const PlannedBaseline& baseline : baselines)
      if (baseline.candidate.form->is_artifact()) return baseline.candidate.route;
    return Route::torch;
  }
  // What the problem's export is compiled for: to be judged, or to time that against.
  std::vector<const Target*> compiled_for() const {
    std::vector<const Target*> targets;
    if (candidate.form->is_artifact()) targets.push_back(target);
    for (const PlannedBaseline& each : baselines)
      if (each.candidate.form->is_artifact()) targets.push_back(each.target);
    return targets;
  }
  bool needs_artifact() const { return !compiled_for().empty(); }
};

// What holds for all attempts of a lane.
struct Terms {
  RunSettings settings;
  std::string seed{};                  // that inputs are drawn from; "": a new secret one
  std::optional<VerifyTools> tools{};  // within limits of these terms' own; nothing: the session's
  // The limits were set by options, which what was ended by one is told.
  bool are_limits_options = true;
};

// What goes through the stages together, on one workload at one precision by one route: all that
// one export serves, or a single candidate that needs none.
struct Lane {
  Workload workload;
  Precision precision = Precision::f32;
  Route route = Route::torch;
  std::vector<Planned> planned{};
  std::shared_ptr<const Terms> terms{};
  std::optional<LoadedWorkload>
      loaded{};  // it came with the lane; nothing: it is read when its turn comes
  // The problem itself is looked at (verify/lint.h), and nobody's candidate. Its one attempt says
  // no more than which it is.
  bool is_look = false;
};

}  // namespace assay

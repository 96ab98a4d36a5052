// What all front ends that stay have in common: a candidate that comes by itself is a lane of its
// own, and a session judges it.
#pragma once

#include <string>
#include <vector>

#include "author/author.h"
#include "session/session.h"
#include "target/target.h"

namespace assay {

// What holds for candidates that say nothing else. None may ask for more time, or more memory.
struct GradeSettings {
  Tools tools;
  RunSettings run;
  // What candidates may be for; those that do not say are for the first. Each is this machine's
  // CPU, or has a GPU that code is compiled for.
  std::vector<Target> targets{};
  // With run.timing: what is right is timed against these. Each runs the problem's own model.
  std::vector<Author> baselines{};
  size_t jobs = 1;
};

struct Served {
  std::string id;  // its attempt's: no other that is under way has it
  Workload workload{};
  LoadedWorkload loaded{};
  Candidate candidate{};
  const Target* target = nullptr;
  Precision precision = Precision::f32;
  Terms terms{};           // with settings.timing: it is timed, against all baselines
  size_t comparisons = 0;  // that it is one of, where it is timed
};

// The target must outlive it.
Lane served_lane(Served served, const std::vector<Author>& baselines);

// Drives a session whose images are started at once. Ends as run_session() does.
Status serve(const GradeSettings& settings, World world, Feed& feed, Sink& sink);

}  // namespace assay

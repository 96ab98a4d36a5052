#pragma once

#include <string>
#include <vector>

#include "author/author.h"
#include "base/glob.h"
#include "model/run_record.h"
#include "setup/tools.h"
#include "target/target.h"
#include "workload/workload.h"

namespace assay {

// One run as asked for, with every name already resolved.
struct Request {
  std::vector<Workload> workloads;
  PathFilter filter{};  // has chosen them; of their configurations it may leave some out
  std::vector<std::string> notes{};  // on what was asked for, a sentence each
  std::vector<Author> authors;       // with different names
  std::vector<Author> baselines;     // with different names; of settings.timing
  std::vector<Target> targets;
  RunSettings settings;
  int jobs = 1;
  int cores = 1;       // that this process may use
  bool force = false;  // compute again, whatever store and cache hold
  std::string folder;  // the run's, absolute
  std::string seed;    // with settings.replay: what inputs are drawn from
  std::string iree;    // the user's own build of IREE, absolute; "" for the installed one
};

}  // namespace assay

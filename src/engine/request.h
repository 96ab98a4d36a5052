#pragma once

#include <string>
#include <vector>

#include "author/author.h"
#include "engine/suite.h"
#include "judge/judge.h"
#include "model/run_record.h"
#include "sandbox/spawner.h"
#include "target/target.h"
#include "verify/verify.h"

namespace assay {

// What a run uses, and what identifies it: part of every fingerprint and cache key, so that another
// version computes again.
struct Tools {
  Image exporter;
  Image compiler;
  VerifyTools verify;
  JudgeSettings judge;
  std::string python_environment;  // hash of what is installed there
  std::string torch_version;
  std::string turbine_version;
  std::string importer_version;   // of the compiler's package that imports programs
  std::string compiler_version;   // of what compiles them: --iree's; "" when nothing says
  std::string compiler_path;      // its library or tool
  std::string compiler_identity;  // of the library's build
  std::string worker_identity;    // hash of the worker's source
  std::string host_cpu;           // what "the host's CPU" means here
};

// One run as asked for, with every name already resolved.
struct Request {
  std::vector<Workload> workloads;
  std::vector<Author> authors;    // with different names
  std::vector<Author> baselines;  // with different names; of settings.timing
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

#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/status.h"
#include "model/words.h"
#include "sandbox/spawner.h"

namespace assay {

// Every run draws with this seed, as KernelBench's own scripts do; exports too, since a program has
// values in it that were drawn while its model was built.
inline constexpr int kSeed = 42;

// What a job does to a workload's file.
struct WorkloadInput {
  std::string path;         // what the problem's code sees as its file name, and messages show
  std::string_view source;  // the bytes that are taken
  std::string mode;         // "eval" or "train"
  Precision precision = Precision::f32;
  // That its model is loaded with, as workers take them; null: its own. An export looks at none.
  Json weights{};
};

// A job for a worker of the image "export", and the memory file that it writes into.
struct WorkloadJob {
  Job job;
  UniqueFd source;  // sealed: what was hashed is what is taken
  UniqueFd result;
};

// `kind` is the job's name in the protocol; `result_name` is shown for the file in /proc.
Result<WorkloadJob> make_workload_job(const char* kind, const WorkloadInput& input,
                                      const char* result_name);

}  // namespace assay

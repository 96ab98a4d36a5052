#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compile/compile_job.h"
#include "engine/plan.h"
#include "run/export.h"
#include "sandbox/spawner.h"
#include "store/cache.h"

namespace assay {

// A lane that is being worked on: at most one child at a time, first for its export, then for the
// compiles of all its targets.
struct ActiveLane {
  Lane lane;  // planned attempts leave it as they finish
  std::string source;
  std::string source_hash;

  StageRecord exported;  // the export's record, once there is one
  ArtifactRecord mlir;   // and its product
  std::string mlir_text;

  std::optional<ExportJob> export_job;
  std::optional<Json> export_answer;  // believed only once the child has ended well

  std::optional<CompileJob> compile_job;
  std::vector<std::string> compile_ids;    // attempt ids by the job's index; "" once answered
  std::vector<std::string> compile_reuse;  // why each was not reused
  int64_t last_message_ns = 0;
};

}  // namespace assay

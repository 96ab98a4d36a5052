#pragma once

#include <string>

#include "base/status.h"
#include "model/words.h"
#include "sandbox/spawner.h"

namespace assay {

// One export: the job for a worker of the image "export", and the memory it writes into.
// The protocol is that of python/assay_worker/export.py.
struct ExportJob {
  Job job;
  UniqueFd source;  // sealed: what was hashed is what is exported
  UniqueFd mlir;
};

// `path` is what the problem's code sees as its file name and what messages show; the bytes come
// from `source`. `mode` is "eval" or "train".
Result<ExportJob> make_export_job(const std::string& path, std::string_view source,
                                  const std::string& mode, Precision precision);

}  // namespace assay

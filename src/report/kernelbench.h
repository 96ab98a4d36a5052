// The parts of KernelBench's files that runs of all kinds share.
#pragma once

#include <string>

#include "model/attempt.h"
#include "report/format.h"

namespace assay {

// The number at the beginning of "19_ReLU"; the whole name where there is none.
std::string kernelbench_problem(const std::string& workload);
// One of eval_results.json: what came of a sample, which are counted from 0.
Json kernelbench_sample(const Attempt& attempt, int sample_id);

// Of a run of `assay write`: its kernels, how they did, and pass@k.
std::vector<std::string> kernelbench_search_files(const ReportInput& input);
void render_kernelbench_search(const ReportInput& input, ReportSink& sink);

}  // namespace assay

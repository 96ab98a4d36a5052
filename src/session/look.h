// Looks at problems, several at once: `assay list workloads --check`.
#pragma once

#include <functional>
#include <span>

#include "session/session.h"
#include "verify/lint.h"
#include "workload/workload.h"

namespace assay {

// Calls `tell` for each workload in their order, as soon as it and all before it are known. Of the
// settings, mode, precision and limits hold. Ends as run_session() does.
Status look_at(std::span<const Workload> workloads, const RunSettings& settings, size_t jobs,
               const Tools& tools, World world,
               const std::function<void(const Workload&, const Lint&)>& tell);

}  // namespace assay

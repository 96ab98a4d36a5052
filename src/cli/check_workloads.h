#pragma once

#include <span>

#include "base/places.h"
#include "cli/command.h"
#include "cli/output.h"
#include "workload/workload.h"

namespace assay {

// What `assay list workloads --check` takes, and is nothing without it.
inline constexpr const char* kCheckOptions[] = {"--jobs", "--timeout", "--memory", "--json"};

// Looks at each workload, prints what it finds, and gives the exit status.
Result<int> check_workloads(const Places& places, std::span<const Workload> workloads,
                            const Arguments& arguments, Output& output);

}  // namespace assay

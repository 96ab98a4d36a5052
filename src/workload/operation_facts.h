// What profilers list of a generated operation. Inside this folder only.
#pragma once

#include "model/operation_facts.h"
#include "op/expand.h"

namespace assay {

OperationFacts facts_of(const OpWorkload& workload, const OpProgram& program);

}  // namespace assay

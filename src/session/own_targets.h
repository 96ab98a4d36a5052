// Targets as single attempts have them: at a precision of their own, since a generated operation
// has its type; told how to compile by a configuration; or compiled for by another compiler.
#pragma once

#include <expected>
#include <list>
#include <optional>
#include <string>

#include "author/author.h"
#include "model/operation_facts.h"
#include "target/target.h"
#include "workload/workload.h"

namespace assay {

// The target at this precision, if it is to have another than its own; `kept` holds those made so
// far.
const Target& retyped(const Target& target, std::optional<Precision> precision,
                      std::list<Target>& kept);

// The target as the author has a workload compiled for it: with what it tells the compiler, or as
// it is. Fails with why the author has nothing for it. `kept`: as above.
std::expected<const Target*, std::string> target_of(const Author& author, const Workload& workload,
                                                    const std::optional<OperationFacts>& operation,
                                                    const Target& target, std::list<Target>& kept);

}  // namespace assay

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
#include "workload/source.h"

namespace assay {

// The target at this precision, if it is to have another than its own; `kept` holds those made so
// far.
const Target& retyped(const Target& target, std::optional<Precision> precision,
                      std::list<Target>& kept);

// A workload as configurations may be for it alone.
struct ConfiguredWorkload {
  std::string path;     // the workload's
  std::string name;     // by which it was tuned: of what is no file, its path says all
  std::string content;  // of a file: a hash of what it holds, which holds wherever it lies
  std::optional<OperationFacts> operation;
};
ConfiguredWorkload configured_workload(const Workload& workload, const LoadedWorkload& loaded);
// Whether that is the workload, or all.
bool is_for_workload(const TunedFor& tuned_for, const ConfiguredWorkload& workload);

// The target as the author has a workload compiled for it: with what it tells the compiler, or as
// it is. Fails with why the author has nothing for it. `kept`: as above.
std::expected<const Target*, std::string> target_of(const Author& author,
                                                    const ConfiguredWorkload& workload,
                                                    const Target& target, std::list<Target>& kept);

}  // namespace assay

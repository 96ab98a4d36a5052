#include "base/hash.h"
#include "base/json.h"
#include "base/rows.h"
#include "workload/all.h"

namespace assay {

std::span<const Source> sources() {
  static const std::vector<Source> all =
      with_added_rows<Source>({file_source(), model_source(), operation_source(), triton_source()});
  return all;
}

const Source& source_of(std::string_view name) {
  const Source* best = nullptr;
  for (const Source& each : sources())
    if (name.starts_with(each.prefix) && (!best || each.prefix.size() > best->prefix.size()))
      best = &each;
  return *best;
}

std::string hash_of(const LoadedWorkload& loaded) {
  const bool has_modules = loaded.tests && !loaded.tests->modules.empty();
  if (!loaded.program && !loaded.weights && !has_modules) return sha256(loaded.python);
  Json parts{{"python", loaded.python}};
  if (has_modules)
    for (const SuiteModule& each : loaded.tests->modules)
      parts["modules"][each.name] = sha256(each.text);
  if (loaded.program) parts["program"] = loaded.program->mlir;
  if (loaded.weights) parts["weights"] = loaded.weights->sha256;
  return sha256(dump_json(parts));
}

Result<LoadedWorkload> load_workload(const Disk& disk, const Workload& workload) {
  ASSAY_ASSIGN(LoadedWorkload loaded, source_of(workload.path).load(disk, workload));
  loaded.weights = workload.weights;
  return loaded;
}

}  // namespace assay

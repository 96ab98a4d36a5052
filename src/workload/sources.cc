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
  if (!loaded.program) return sha256(loaded.python);
  return sha256(dump_json({{"python", loaded.python}, {"program", loaded.program->mlir}}));
}

Result<LoadedWorkload> load_workload(const Disk& disk, const Workload& workload) {
  return source_of(workload.path).load(disk, workload);
}

}  // namespace assay

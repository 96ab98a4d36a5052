#include "session/store_sink.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/hash.h"
#include "run/outcome.h"
#include "session/trace.h"

namespace assay {

Status StoreSink::take(Finished& finished) {
  Attempt& attempt = finished.attempt;
  // Files first, then the row. Killed in between, the old row stands beside other files: the next
  // run sees it, as it compares them. By name, since another author's folder may lie in this one.
  std::string folder = store_.result_folder(attempt.id);
  ASSAY_TRY(disk_.make_directories(folder));
  for (std::string_view name : {kArtifactName, kMlirName, kWeightsName, kTraceName, kMemoryName,
                                kPhasesFolder, kKernelsFolder})
    ASSAY_TRY(disk_.remove_all(join_path(folder, name)));
  if (traces_)
    ASSAY_TRY(add(kTraceName, dump_json(trace_of(attempt, finished.traced)) + "\n", attempt));
  if (!finished.traced.memory.empty())
    ASSAY_TRY(add(kMemoryName, memory_csv(finished.traced.memory), attempt));
  ASSAY_TRY(put_files(attempt, folder));
  attempt.verdict = verdict_of(attempt.stages);
  ASSAY_TRY(store_.save(attempt));
  events_.finished(attempt);
  return {};
}

// A file of what went on, which is no result.
Status StoreSink::add(std::string_view name, std::string_view bytes, Attempt& attempt) {
  ASSAY_ASSIGN(ArtifactRecord file, cache_.put_object(std::string(name), bytes));
  attempt.artifacts.push_back(std::move(file));
  std::ranges::sort(attempt.artifacts, {}, &ArtifactRecord::name);
  return {};
}

// A file that cannot have the name which its maker has given it is left out: a finding about that,
// and no reason for the run to end.
Status StoreSink::put_files(Attempt& attempt, const std::string& folder) {
  std::set<std::string> folders;
  std::vector<ArtifactRecord> put;
  for (ArtifactRecord& artifact : attempt.artifacts) {
    std::string path = join_path(folder, artifact.name);
    std::string parent = path.substr(0, path.find_last_of('/'));
    if (parent != folder && folders.insert(parent).second)
      ASSAY_TRY(disk_.make_directories(parent));
    Status done = disk_.link_or_copy(cache_.object_path(artifact), path);
    if (done) {
      put.push_back(std::move(artifact));
      continue;
    }
    const bool is_for_its_name =
        done.error().code == Code::invalid_input && !attempt.stages.empty();
    if (!is_for_its_name) return done;
    const Stage stage = attempt.stages.back().stage;
    attempt.stages.back() =
        failed_stage(stage, FailureClass::protocol,
                     "a file that it leaves has a name that cannot be: " + done.error().message);
  }
  attempt.artifacts = std::move(put);
  return {};
}

bool StoreSink::has_files(const std::string& id,
                          const std::vector<ArtifactRecord>& artifacts) const {
  return std::ranges::all_of(artifacts, [&](const ArtifactRecord& artifact) {
    auto file = disk_.digest(join_path(store_.result_folder(id), artifact.name));
    return file && file->bytes == artifact.bytes && file->sha256 == artifact.sha256;
  });
}

}  // namespace assay

#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "session/judging.h"
#include "session/session.h"
#include "session/task.h"

namespace assay {

// What one child may have of a compile.
struct Share {
  size_t targets = 1;   // at most
  bool threads = true;  // cores would idle without them
};

// What a lane goes through: looks into the cache, makes the jobs, reads the answers, and says what
// is to be done next. Knows nothing of slots, children or memory; session.cc has these.
class Steps {
 public:
  Steps(Feed& feed, Sink& sink, bool force, const Tools& tools, World& world);

  // A lane's turn has come. Returns its first task, or none when the cache had everything.
  Result<std::vector<Task>> begin(Lane lane);
  // Makes the job of a task. What goes beyond its share is returned as a task of its own.
  Result<std::optional<Task>> prepare(Task& task, Share share);
  // What the task's child said.
  Status take_message(Task& task, Event& event);
  // How the task's child ended. Returns what follows from it.
  Result<std::vector<Task>> take_end(Task task, const Ending& ending);
  // What has become ready to be verified since the last call.
  bool has_candidacies() const { return !candidacies_.empty(); }
  std::vector<Task> take_candidacies() { return std::exchange(candidacies_, {}); }
  // What a candidate is judged by. Nothing when its files cannot be read: then it has been
  // recorded.
  Result<std::optional<JudgingJob>> make_judging_job(Task& task);
  Status take_judged(Task task, Judging judging);

  // The task's child was ended because the machine ran out of memory: the same task, to be run
  // alone. What it has answered already stays answered.
  Task again_alone(Task task, uint64_t resident_bytes) const;
  // It was alone already.
  Status give_up(Task task, const Ending& ending, uint64_t resident_bytes);

  Limits limits(const Task& task) const;
  Image image(const Task& task) const;
  const VerifyTools& verify_tools(const Task& task) const;

 private:
  Result<std::vector<Task>> take_program(std::shared_ptr<LaneState> lane);
  Result<std::vector<Task>> after_export(std::shared_ptr<LaneState> lane);
  Result<std::vector<Task>> compile(std::shared_ptr<LaneState> lane);
  Result<std::vector<Task>> end_with_export(const std::shared_ptr<LaneState>& lane);
  Result<std::vector<Task>> take_export_end(Task task, const Ending& ending);
  Result<std::vector<Task>> take_weights_end(Task task, const Ending& ending);
  Result<std::vector<Task>> take_compile_end(Task task, const Ending& ending);
  Result<std::vector<Task>> fail_lane(const std::shared_ptr<LaneState>& lane);
  Status finish_item(Task& task, size_t index, StageRecord record,
                     const std::vector<CompiledFile>& files);
  Status release(const std::shared_ptr<LaneState>& lane);
  Status finish_compiled(const std::shared_ptr<LaneState>& lane, Planned planned);
  // Of one that has a file, or is made of the problem's.
  Result<std::string> bytes_of(const Candidate& candidate, const std::string& problem) const;
  Result<std::vector<Baseline>> baselines_of(const Task::Candidacy& candidacy,
                                             const VerifyJob& job) const;
  // The end of every attempt.
  Status finish(const LaneState& lane, Attempt attempt, std::vector<StageRecord> stages,
                std::vector<ArtifactRecord> artifacts, std::optional<Lint> look = {},
                Traced traced = {});
  Cache::Lookup look_up(const CacheKey& key) const;
  static void name_limit(const Terms& terms, StageRecord& record);
  static void append_note(StageRecord& record, const std::string& note);

  Feed& feed_;
  Sink& sink_;
  const bool force_;
  const Tools& tools_;
  World& world_;
  std::vector<Task> candidacies_;
};

}  // namespace assay

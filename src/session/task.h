#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compile/compile_job.h"
#include "run/export.h"
#include "run/weights.h"
#include "sandbox/spawner.h"
#include "session/keys.h"
#include "session/lane.h"
#include "session/memory_curve.h"
#include "workload/source.h"

namespace assay {

// A lane that is being worked on. Its tasks share it; it goes with the last of them.
struct LaneState {
  Lane lane;  // attempts move from here into the tasks that compile them
  ExportSubject subject;
  LoadedWorkload workload;
  std::vector<std::string>
      packages;  // that it imports, of those that take seconds to (run/python.h)

  StageRecord exported;         // the export's record, once there is one
  bool depends_on_hub = false;  // on files that are no ingredient: nothing of it is kept
  ArtifactRecord mlir;          // and its product
  std::string mlir_text;
  std::optional<ArtifactRecord> weights;
  MemoryCurve memory;  // of its exports and compiles, where the settings ask for it

  // What the compiles have come to so far, and the attempts that wait for some of them.
  struct Made {
    StageRecord record;
    std::vector<ArtifactRecord> artifacts;  // the code first
  };
  std::map<const Target*, Made> made;
  std::vector<Planned> waiting;
};

// What one child does for a lane.
struct Task {
  enum class Work {
    export_,  // the program
    weights,  // the archive of its parameters, when asked for
    compile,  // the program for some of the lane's targets
    verify,   // one candidate; a procedure with children of its own
  };
  Work work = Work::export_;
  std::shared_ptr<LaneState> lane;
  bool alone = false;  // was ended for want of memory once: nothing else may run beside it
  std::string note;    // what befell it before, for the record

  // With Work::compile: what there is to do, a target each.
  struct Item {
    const Target* target = nullptr;
    std::string reuse{};  // why it was not reused
    // Another compiler than the run's, and which flags a configuration gives it; "": neither. IREE
    // keeps some flags of a session for those that come after it in its process, unless these set
    // them, too.
    std::string told{};
    bool is_answered = false;
  };
  std::vector<Item> items;

  // What has become of the artifact that an attempt needs.
  struct Compiled {
    Json program;  // the export's evidence
    ArtifactRecord artifact;
    std::string why_none;  // "": there is one
    Json dispatch{};       // of the compile's evidence: what its one call is, or why it is none

    static Compiled none(const StageRecord& why) {
      return {{},
              {},
              std::string(to_word(kStageWords, why.stage)) + " " +
                  std::string(to_word(kStageStatusWords, why.status)) + ": " + why.error,
              {}};
    }
  };
  // With Work::verify: the attempt, and what it has been through so far.
  struct Candidacy {
    Planned planned;
    std::map<const Target*, Compiled> compiled{};  // all that it was compiled for
    std::vector<StageRecord> stages{};
    std::vector<ArtifactRecord> artifacts{};
    std::shared_ptr<MemoryCurve> memory = std::make_shared<MemoryCurve>();  // of its verification
  };
  std::optional<Candidacy> candidacy;

  static Task of_candidate(std::shared_ptr<LaneState> lane, Candidacy candidacy) {
    Task task;
    task.work = Work::verify;
    task.lane = std::move(lane);
    task.candidacy = std::move(candidacy);
    return task;
  }

  // While a child is at it: its job, and what it has said so far.
  std::optional<WorkloadJob> workload_job;
  std::optional<CompileJob> compile_job;
  std::optional<Json> answer;  // of an export or of weights; believed once the child has ended well
  int64_t last_message_ns = 0;
  uint64_t peak_bytes = 0;  // the most that its processes were seen to hold since then, together
  int64_t started_ns = 0;   // of a verification

  // Another task for the same lane, under the same conditions, with nothing done of it.
  Task sibling() const {
    Task task;
    task.work = work;
    task.lane = lane;
    task.alone = alone;
    task.note = note;
    return task;
  }
  // Of a compile: nothing is left to do.
  bool is_done() const {
    return work == Work::compile && std::ranges::all_of(items, &Item::is_answered);
  }

  const Terms& terms() const { return *lane->lane.terms; }
  const Job& job() const { return compile_job ? compile_job->job : workload_job->job; }
  Stage stage() const {
    if (work == Work::verify) return Stage::verify;
    return work == Work::compile ? Stage::compile : Stage::export_;
  }
};

// A list of one: tasks are moved, and an initializer list copies.
inline std::vector<Task> only(Task task) {
  std::vector<Task> tasks;
  tasks.push_back(std::move(task));
  return tasks;
}

}  // namespace assay

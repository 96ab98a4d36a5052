#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "model/fault.h"
#include "model/operation_facts.h"
#include "model/origin.h"
#include "model/profile.h"
#include "model/timing.h"
#include "model/window_record.h"
#include "model/words.h"

namespace assay {

// How the error begins of an attempt that nothing was handed in for.
inline constexpr std::string_view kNoCandidate = "no candidate: ";

// How far one stage of an attempt came, and what it cost. Times are of the child that did the work:
// when the result was reused they are those of the run that made it.
struct StageRecord {
  Stage stage = Stage::export_;
  StageStatus status = StageStatus::ok;
  std::optional<FailureClass> failure;  // with status failed
  std::string rule;  // with status rejected: what it broke; with not_judged: what it lacks here
  std::optional<Fault> blamed;  // where stage and class do not tell whose doing it is: fault_of()
  std::string error;            // one line; empty with status ok
  std::string detail;           // all that helps to understand it; may be long
  std::optional<int64_t> began_us;  // since 1970, UTC
  std::optional<int64_t> wall_ns;
  std::optional<int64_t> cpu_ns;
  std::optional<uint64_t> peak_bytes;  // largest resident set of one process, with its image
  bool reused = false;
  std::string reuse;  // why it was, or was not, reused
  Json evidence;      // what the stage learnt: inputs and outputs, sizes, flags; null: nothing
  // It ran into a limit that no option sets. No part of its JSON.
  bool met_own_limit = false;
  // The whole evidence as JSON, where RunStore::attempts_as_text() left it a text. Otherwise empty.
  std::string evidence_text;

  bool operator==(const StageRecord&) const = default;
};

// Whichever way the record was read; null where it has none.
Json evidence_of(const StageRecord& stage);

// What the files in a result folder are called.
inline constexpr std::string_view kArtifactName = "artifact.vmfb";
inline constexpr std::string_view kMlirName = "kernel.mlir";
inline constexpr std::string_view kWeightsName = "weights.irpa";
inline constexpr std::string_view kTuningLibraryName = "tuning_spec.mlir";
inline constexpr std::string_view kTraceName = "trace.json";
inline constexpr std::string_view kMemoryName = "memory.csv";
inline constexpr std::string_view kPhasesFolder = "compilation_phases";
inline constexpr std::string_view kKernelsFolder = "kernels";  // of device code

// A file that an attempt left in its result folder.
struct ArtifactRecord {
  std::string name;  // "artifact.vmfb", "compilation_phases/module.1.input.mlir"
  std::string sha256;
  uint64_t bytes = 0;

  bool operator==(const ArtifactRecord&) const = default;
};

// One candidate on one target, taken through the stages: the row that is stored.
struct Attempt {
  std::string id;        // <suite>/<level>/<target>/<problem>[/<author>[__sN]]
  std::string workload;  // the problem's name: its file's stem
  std::string path;      // the workload's file, absolute
  std::string suite;
  std::string level;  // "" when the suite has none
  std::string author;
  int candidate = 1;
  std::string target;
  Precision precision = Precision::f32;
  std::string mode = "eval";
  Verdict verdict = Verdict::not_judged;
  std::string reproduce;  // a command line
  std::string isolation;  // the level of the jail it ran in; "" when it did not run
  std::string seed;       // what its inputs were drawn from, secret until now; "" when none was
  Origin origin;          // what makes it again
  std::optional<Replay> replay;  // which attempt it is a replay of, if it is one
  std::string fingerprint;  // of all that decides the outcome; another one means: compute again
  std::string finished;     // UTC
  std::vector<StageRecord> stages;
  std::vector<ArtifactRecord> artifacts;
  std::optional<Timing> timing;             // of an accepted attempt that was timed
  std::optional<Profile> profile;           // of one that was profiled: no timing, no outcome
  std::optional<OperationFacts> operation;  // of one at a generated operation
  std::vector<WindowRecord> windows;        // that it was timed in; no part of its JSON

  // The stage that decided a verdict which is not that of one that passed; null otherwise.
  const StageRecord* deciding_stage() const;

  bool operator==(const Attempt&) const = default;
};

// What the compiler was told; empty where it has left no record of that.
std::vector<std::string> compile_flags_of(const Attempt& attempt);
// The same for a compiler that is called elsewhere: the library of lowerings lies in the attempt's
// result folder.
std::vector<std::string> flags_in_folder(std::vector<std::string> flags, const std::string& folder);

// The verdict that follows from the stages an attempt went through: the first that is not ok
// decides, but for a smoke that says nothing; with all ok it is `accepted` if the last is verify or
// comes after it, `exported` if it is export, else `compiled`.
Verdict verdict_of(const std::vector<StageRecord>& stages);

// The last thing that is established of an attempt: "compiled", "smoke", "correct", "timed"; ""
// when nothing is.
std::string_view reached(const Attempt& attempt);
// What is said of an accepted attempt: of its speed against the first of its baselines, where it
// was timed. Nothing of others, and of what was profiled.
std::optional<Outcome> outcome(const Attempt& attempt);
// Of a rejected attempt the rule it broke, of an unsupported one why, of one that is undecided what
// for; "" of others.
std::string reason(const Attempt& attempt);

// `<suite>/<level>/<target>/<problem>` and, where it says the author, `/<author>`, then `[__sN]`;
// each component percent-escaped; a suite without levels has "_" in that place.
std::string attempt_id(const Attempt& attempt, bool says_author);

// What holds for every attempt that can be stored: classes and errors belong to the stages that
// have them, the verdict follows from the stages, the id from its parts.
Status check(const Attempt& attempt);

// Parts of that JSON which other records contain as well.
Json to_json(const StageRecord& stage);
Result<StageRecord> stage_from_json(const Json& json);
Result<std::vector<ArtifactRecord>> artifacts_from_json(const Json& json);

// The attempt in assay's JSON (docs/formats.md). Absent is null, never 0.
Json to_json(const Attempt& attempt);
// Reads what to_json wrote, strictly: also that the verdict follows from the stages.
Result<Attempt> attempt_from_json(const Json& json);

}  // namespace assay

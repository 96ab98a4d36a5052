#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "model/origin.h"
#include "model/timing.h"
#include "model/words.h"

namespace assay {

// The number of the JSON that assay writes. A reader refuses a number it does not know.
inline constexpr int kSchema = 2;

// The settings that decide what an attempt in a run means. One value each per run: running again in
// the same folder with another value is refused by name.
struct RunSettings {
  std::optional<Stage> until;  // the last stage; without it as far as each attempt can go here
  std::string mode = "eval";
  std::optional<Precision> precision;  // instead of each target's own
  std::vector<std::string> flags;      // of the compiler, after each target's own
  CompilerKind compiler = CompilerKind::library;
  bool debug_info = false;               // keeps source locations and symbols in artifacts
  bool phases = false;                   // keeps what the program was after each phase
  std::string load_weights;              // a folder that models are loaded from; "": they draw
  std::string weights_sha256;            // of what is in it
  bool weights = false;                  // draws the parameters into an archive
  std::string policy;                    // what is asked for beside the verdict; "": nothing
  std::string require_isolation;         // refuse to run anything in a weaker jail; "": L1
  std::vector<std::string> include{};    // folders that C and C++ of candidates find headers in
  bool counters = false;                 // of what is accepted, it is kept what other tools count
  bool trace = false;                    // it is kept what ran when, for a viewer of traces
  bool track_memory = false;             // it is kept how much memory processes hold, over time
  bool sanitize = false;                 // native candidates are also run with sanitizers
  bool emulate = false;                  // what an emulator can call is called by it
  int threads = 1;                       // that a candidate may use
  int64_t timeout_ns = 0;                // per stage of an attempt
  uint64_t memory_bytes = 0;             // per child, beyond its image
  std::optional<TimingSettings> timing;  // none: nothing is timed
  std::optional<Replay> replay;          // the run holds a replay of this attempt, and nothing else

  bool operator==(const RunSettings&) const = default;
};

// Whether times are asked for that are held against nothing.
inline bool is_profile(const RunSettings& settings) {
  return settings.timing && settings.timing->profile;
}

// Whether a compile is to say what its program's one call is: to call that without IREE's runtime.
inline bool asks_for_call(const RunSettings& settings) {
  return is_profile(settings) || settings.emulate;
}

// One run: a set of attempts, and on what they were made.
struct RunRecord {
  RunSettings settings;
  std::string assay_version;
  std::string created;  // UTC
  Json machine;         // host, kernel, CPU, cores, memory, versions of torch and the compiler

  bool operator==(const RunRecord&) const = default;
};

Json to_json(const RunRecord& run);
Result<RunRecord> run_from_json(const Json& json);

// Refuses, by name, the first setting in which `asked` differs from what the run was made with. A
// run may be timed that was not before, and go on without timing anything.
Status same_settings(const RunSettings& stored, const RunSettings& asked);

}  // namespace assay

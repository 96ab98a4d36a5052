// `assay tune`: searches how IREE lowers an operation fastest, times what is found in turn, and
// judges the best against the compiler's own choice on launches of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "session/request.h"
#include "session/session.h"
#include "store/run_store.h"
#include "tune/searcher.h"

namespace assay {

struct TuneRequest {
  Request run;  // its workloads, targets and settings; its authors are configurations
  const SearcherType* searcher = nullptr;
  std::vector<ConfigurationSet> spaces{};
  int64_t spend_ns = 0;
  uint64_t seed = 0;
  std::string python{}, guide{};
};

// What has come of one operation on one target.
struct TuneResult {
  std::string workload;                        // as records name it
  std::string known_as{}, content{};           // as configurations do (session/own_targets.h)
  std::string target;                          // as records name it
  std::string precision{}, compiler{}, cpu{};  // that it holds for
  std::string name;                            // of the workload, for people
  size_t space = 0, tried = 0;
  size_t same = 0, failed = 0;  // of those: another one's code, no code or a wrong result
  double default_ns = 0;        // of the compiler's own choice, the median of all its launches
  std::string best{};           // the fastest of those that were timed in turn; "": none was
  double best_ns = 0;
  std::optional<Speedup> judged{};       // the winner's, or the last that was judged
  std::string why{};                     // where nothing is a winner
  bool is_judged = true;                 // all that had to be
  std::vector<Configuration> refuted{};  // judged, and not faster or not right
  std::optional<Configuration> winner{};
};

// What a search tells while it goes on; cli/ makes progress of it.
class TuneEvents {
 public:
  virtual ~TuneEvents() = default;
  virtual void began(const TuneResult&) {}
  // One was tried: its time, or nothing where it failed or is another one's code.
  virtual void tried(const TuneResult&, const std::string& /*configuration*/,
                     std::optional<double> /*ns*/, const std::string& /*why_none*/) {}
  // The compiler takes up none of a family: the rest of it is not tried.
  virtual void left_out(const TuneResult&, const std::string& /*family*/) {}
  virtual void again(const TuneResult&, size_t /*finalists*/) {}
  virtual void judges(const TuneResult&, const std::string& /*configuration*/) {}
  virtual void ended(const TuneResult&) {}
};

// For --dry-run: how large each space is, a line each.
Result<std::string> spaces_in_words(const TuneRequest& request, const Disk& disk);

struct TuneTools {
  const Tools& tools;
  const Machine& machine;
  RunStore& store;
};

// In the run's folder: all that became known, a line of JSON each; what won, for `assay run
// --tuned`; and a library for iree-compile, for each.
inline constexpr std::string_view kTuneLog = "tune.jsonl";
inline constexpr std::string_view kTunedFile = "tuned.toml";
inline constexpr std::string_view kTunedFolder = "tuned";

// Ends as run_session() does. The same request goes on with what the folder holds. Writes what won.
Result<std::vector<TuneResult>> run_tuning(const TuneRequest& request, const TuneTools& tools,
                                           TuneEvents& events, World world);

}  // namespace assay

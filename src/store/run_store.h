// A run on disk: one folder with one SQLite file, and the result folders of its attempts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/disk.h"
#include "base/status.h"
#include "model/attempt.h"
#include "model/run_record.h"
#include "store/search_store.h"
#include "store/sqlite.h"
#include "store/tune_store.h"

namespace assay {

class RunStore {
 public:
  // Opens `folder` to add to it, creating it for a new run. Holds the folder's lock until it is
  // destroyed: another run in it is refused, as is another setting than it was made with.
  static Result<RunStore> open_to_write(Disk& disk, const std::string& folder,
                                        const RunRecord& record);
  // Opens a run to read. Works while another process writes to it.
  static Result<RunStore> open_to_read(const Disk& disk, const std::string& folder);

  // Whether `folder` holds a run's file.
  static bool is_in(const Disk& disk, const std::string& folder);
  // Whether a path is that of a file that a run's folder is kept with: the database, what SQLite
  // keeps beside it, the lock. Whoever writes there destroys the run.
  static bool is_own_file(const Disk& disk, const std::string& path);

  // Whether a process works in `folder`, and a text that is another one once that has changed, or
  // the run's file, or what is under way (run_now.h): what it costs to look, without opening any.
  static bool is_at_work(const std::string& folder);
  static std::string change_mark(const std::string& folder);

  const std::string& folder() const { return folder_; }
  const RunRecord& record() const { return record_; }
  std::string result_folder(const std::string& attempt_id) const;

  // Puts one finished attempt in, whole, replacing an earlier one of its id.
  Status save(const Attempt& attempt);
  // What is needed to know whether an attempt must be computed, by id.
  struct Known {
    std::string fingerprint;
    Verdict verdict = Verdict::not_judged;
    std::string path;                         // of the problem's file
    std::string author;                       // as --by takes it: what made it
    std::string candidate_sha256;             // "": it is made of the problem's file
    size_t comparisons = 0;                   // with baselines: its speed-ups
    std::vector<ArtifactRecord> artifacts{};  // in its result folder
  };
  Result<std::map<std::string, Known>> known();
  // All attempts in the order of their ids. Without detail the long texts are left out, and of the
  // evidence all but what reports tabulate: the compile stage's "dispatches", "code", "kernels" and
  // "shared_bytes", what is said of a suite's tests, and ratios by launch.
  Result<std::vector<Attempt>> attempts(bool with_detail);
  // With the long texts, and the evidence as StageRecord::evidence_text beside what reports
  // tabulate: for reports of very many attempts, which only pass it on.
  Result<std::vector<Attempt>> attempts_as_text();
  // Those that an attempt was timed in, in order.
  Result<std::vector<WindowRecord>> windows(const std::string& attempt_id);
  Result<std::optional<Attempt>> find(const std::string& attempt_id);
  // What a search keeps here, beside attempts. Not to outlive this.
  SearchStore search() { return SearchStore(database_); }
  TuneStore tuning() { return TuneStore(database_); }

 private:
  RunStore(std::string folder, Database database);
  Status create_tables(const RunRecord& record);
  Status update_tables(int64_t version);
  Status update_record(const RunRecord& record);
  Status read_record();
  enum class Evidence { tabulated, texts, values };
  Result<std::vector<Attempt>> read(const std::string& where, const std::string& id,
                                    Evidence evidence);

  std::string folder_;
  UniqueFd lock_;
  Database database_;
  RunRecord record_;
  int tables_version_ = 0;
};

}  // namespace assay

#include "store/run_store.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <span>
#include <utility>

#include "store/attempt_rows.h"
#include "store/run_now.h"
#include "store/window_table.h"

namespace assay {
namespace {

// Raised with every change of the tables. A file with a higher number is from a newer assay.
constexpr int kTablesVersion = 9;
constexpr const char* kFileName = "assay.sqlite";
constexpr const char* kLockName = ".lock";

constexpr const char* kTables = R"sql(
  CREATE TABLE run (record TEXT NOT NULL);
  CREATE TABLE attempt (
    id TEXT PRIMARY KEY, workload TEXT NOT NULL, path TEXT NOT NULL, suite TEXT NOT NULL,
    level TEXT NOT NULL, author TEXT NOT NULL, candidate INTEGER NOT NULL, target TEXT NOT NULL,
    precision TEXT NOT NULL, mode TEXT NOT NULL, verdict TEXT NOT NULL, reproduce TEXT NOT NULL,
    isolation TEXT NOT NULL, seed TEXT NOT NULL, fingerprint TEXT NOT NULL, finished TEXT NOT NULL,
    origin_author TEXT NOT NULL, origin_target TEXT NOT NULL, origin_iree TEXT NOT NULL,
    problem_sha256 TEXT NOT NULL, candidate_sha256 TEXT NOT NULL, replay TEXT NOT NULL,
    timing TEXT NOT NULL, profile TEXT NOT NULL DEFAULT '', operation TEXT NOT NULL DEFAULT ''
  ) WITHOUT ROWID;
  CREATE TABLE stage (
    attempt_id TEXT NOT NULL, position INTEGER NOT NULL, stage TEXT NOT NULL, status TEXT NOT NULL,
    class TEXT NOT NULL, rule TEXT NOT NULL, error TEXT NOT NULL, wall_ns INTEGER, cpu_ns INTEGER, peak_bytes INTEGER,
    reused INTEGER NOT NULL, reuse TEXT NOT NULL, blamed TEXT NOT NULL DEFAULT '',
    began_us INTEGER,
    PRIMARY KEY (attempt_id, position)
  ) WITHOUT ROWID;
  CREATE TABLE artifact (
    attempt_id TEXT NOT NULL, name TEXT NOT NULL, sha256 TEXT NOT NULL, bytes INTEGER NOT NULL,
    PRIMARY KEY (attempt_id, name)
  ) WITHOUT ROWID;
  CREATE TABLE evidence (
    attempt_id TEXT NOT NULL, position INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (attempt_id, position, kind)
  ) WITHOUT ROWID;
)sql";

// A file with tables from before is read as it is, and brought up to date when it is written to:
// each step makes tables of the version behind `from` of those of `from`.
struct TablesStep {
  int from;
  const char* change;
};
constexpr TablesStep kTablesSteps[] = {
    {6, "ALTER TABLE stage ADD COLUMN blamed TEXT NOT NULL DEFAULT ''"},
    {7,
     "ALTER TABLE attempt ADD COLUMN profile TEXT NOT NULL DEFAULT '';"
     "ALTER TABLE attempt ADD COLUMN operation TEXT NOT NULL DEFAULT ''"},
    {8, "ALTER TABLE stage ADD COLUMN began_us INTEGER"},
};
constexpr int kOldestTables = kTablesSteps[0].from;

std::string class_word(const std::optional<FailureClass>& failure) {
  return failure ? std::string(to_word(kFailureClassWords, *failure)) : "";
}

// A run makes its folder and its file before it knows what to write into them.
std::unexpected<Error> nothing_stored(const std::string& folder) {
  return error(Code::refused,
               "the run in '" + folder + "' has stored nothing: it has just begun, or was ended",
               "run the same `assay run` command again: it goes on there");
}

// What can be done about a store that does not open.
std::unexpected<Error> cannot_open(Error problem, const std::string& path) {
  if (problem.code == Code::corrupt && problem.next.empty())
    problem.next =
        "move that folder away, or name another one with --out; what was computed is "
        "still in the cache";
  return while_doing(std::move(problem), "opening the run in '" + path + "'");
}

}  // namespace

RunStore::RunStore(std::string folder, Database database)
    : folder_(std::move(folder)), database_(std::move(database)) {}

std::string RunStore::result_folder(const std::string& attempt_id) const {
  return join_path(folder_, attempt_id);
}

bool RunStore::is_in(const Disk& disk, const std::string& folder) {
  return disk.exists(join_path(folder, kFileName));
}

bool RunStore::is_own_file(const Disk& disk, const std::string& path) {
  const std::filesystem::path real = absolute_path(path);
  const std::string name = real.filename().string();
  // "assay.sqlite-wal" and whatever else SQLite has of a database.
  return (name.starts_with(kFileName) || name == kLockName) &&
         is_in(disk, real.parent_path().string());
}

bool RunStore::is_at_work(const std::string& folder) {
  return is_locked(join_path(folder, kLockName));
}

std::string RunStore::change_mark(const std::string& folder) {
  std::string mark;
  // What is committed lies in the log until that is taken over. What is under way is in no store.
  for (const std::string& name :
       {std::string(kFileName), std::string(kFileName) + "-wal", std::string(kNowFile)}) {
    const std::string path = join_path(folder, name);
    std::error_code absent;
    const auto bytes = std::filesystem::file_size(path, absent);
    const auto written = std::filesystem::last_write_time(path, absent);
    mark += absent ? "-," : fmt::format("{} {},", bytes, written.time_since_epoch().count());
  }
  if (is_at_work(folder)) mark += "at work";
  return mark;
}

Result<RunStore> RunStore::open_to_write(Disk& disk, const std::string& folder,
                                         const RunRecord& record) {
  ASSAY_TRY(disk.make_directories(folder));
  auto lock = lock_file(join_path(folder, kLockName));
  if (!lock) {
    if (lock.error().code != Code::refused) return std::unexpected(lock.error());
    return error(Code::refused, "another assay is working in '" + folder + "'",
                 "wait for it, or name another folder with --out");
  }
  ASSAY_ASSIGN(Database database,
               Database::open(join_path(folder, kFileName), Database::Access::read_write));
  RunStore store(folder, std::move(database));
  store.lock_ = std::move(*lock);
  auto prepare = [&]() -> Status {
    // Readers go on while an attempt is committed, and a commit does not wait for the disk: a
    // killed assay loses nothing, and after a power cut the file is whole and misses the last few
    // attempts.
    ASSAY_TRY(store.database_.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"));
    ASSAY_ASSIGN(int64_t version, store.database_.integer_pragma("user_version"));
    if (version == 0) ASSAY_TRY(store.create_tables(record));
    if (version >= kOldestTables) ASSAY_TRY(store.update_tables(version));
    return store.read_record();
  };
  Status prepared = prepare();
  if (!prepared) return cannot_open(prepared.error(), join_path(folder, kFileName));
  ASSAY_TRY(same_settings(store.record_.settings, record.settings));
  ASSAY_TRY(store.update_record(record));
  return store;
}

Result<RunStore> RunStore::open_to_read(const Disk& disk, const std::string& folder) {
  std::string path = join_path(folder, kFileName);
  if (!is_in(disk, folder)) {
    if (disk.exists(join_path(folder, kLockName))) return nothing_stored(folder);
    return error(Code::not_found, "'" + folder + "' holds no run",
                 "name the folder that `assay run` was given with --out");
  }
  ASSAY_ASSIGN(Database database, Database::open(path, Database::Access::read));
  RunStore store(folder, std::move(database));
  Status read = store.read_record();
  if (!read && read.error().code == Code::io) {
    // Somebody else's run: reading with a log needs a file beside it that cannot be made here.
    ASSAY_ASSIGN(store.database_, Database::open(path, Database::Access::unchanging));
    read = store.read_record();
  }
  if (!read) return cannot_open(read.error(), path);
  return store;
}

// What goes on may be another assay, on another machine, with another compiler: the record tells of
// the last. What was only verified may be timed from now on.
Status RunStore::update_record(const RunRecord& record) {
  RunRecord now{record_.settings, record.assay_version, record_.created, record.machine};
  if (!now.settings.timing) now.settings.timing = record.settings.timing;
  if (now == record_) return {};
  record_ = std::move(now);
  ASSAY_ASSIGN(Statement update, database_.prepare("UPDATE run SET record = ?"));
  return update.bind(dump_json(to_json(record_))).run();
}

Status RunStore::create_tables(const RunRecord& record) {
  ASSAY_TRY(database_.execute("BEGIN IMMEDIATE"));
  ASSAY_TRY(database_.execute(kTables));
  ASSAY_TRY(database_.execute(kWindowTable));
  ASSAY_ASSIGN(Statement insert, database_.prepare("INSERT INTO run VALUES (?)"));
  ASSAY_TRY(insert.bind(dump_json(to_json(record))).run());
  ASSAY_TRY(database_.execute(fmt::format("PRAGMA user_version = {}", kTablesVersion)));
  return database_.execute("COMMIT");
}

Status RunStore::update_tables(int64_t version) {
  if (version >= kTablesVersion) return {};
  ASSAY_TRY(database_.execute("BEGIN IMMEDIATE"));
  for (const TablesStep& step : kTablesSteps)
    if (step.from >= version) ASSAY_TRY(database_.execute(step.change));
  ASSAY_TRY(database_.execute(fmt::format("PRAGMA user_version = {}", kTablesVersion)));
  return database_.execute("COMMIT");
}

Status RunStore::read_record() {
  ASSAY_ASSIGN(int64_t version, database_.integer_pragma("user_version"));
  if (version == 0) return nothing_stored(folder_);
  tables_version_ = static_cast<int>(version);
  if (version < kOldestTables || version > kTablesVersion)
    return error(Code::refused,
                 fmt::format("'{}' has tables of version {}; this assay reads versions {} to {}",
                             folder_, version, kOldestTables, kTablesVersion),
                 version > kTablesVersion ? "use the newer assay that made it"
                                          : "name another folder with --out");
  ASSAY_ASSIGN(Statement select, database_.prepare("SELECT record FROM run"));
  ASSAY_ASSIGN(bool row, select.step());
  if (!row) return error(Code::corrupt, "'" + folder_ + "' has no record of its run");
  ASSAY_ASSIGN(Json json, parse_json(select.text(0), "the run's record"));
  ASSAY_ASSIGN(record_, run_from_json(json));
  return {};
}

Status RunStore::save(const Attempt& attempt) {
  ASSAY_TRY(check(attempt));
  auto save_all = [&]() -> Status {
    for (const char* table : {"stage", "artifact", "evidence", "window"}) {
      ASSAY_ASSIGN(Statement clear,
                   database_.prepare(fmt::format("DELETE FROM {} WHERE attempt_id = ?", table)));
      ASSAY_TRY(clear.bind(attempt.id).run());
    }
    ASSAY_ASSIGN(Statement put,
                 database_.prepare("INSERT OR REPLACE INTO attempt VALUES "
                                   "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"));
    ASSAY_TRY(put.bind(attempt.id)
                  .bind(attempt.workload)
                  .bind(attempt.path)
                  .bind(attempt.suite)
                  .bind(attempt.level)
                  .bind(attempt.author)
                  .bind(int64_t{attempt.candidate})
                  .bind(attempt.target)
                  .bind(std::string(to_word(kPrecisionWords, attempt.precision)))
                  .bind(attempt.mode)
                  .bind(std::string(to_word(kVerdictWords, attempt.verdict)))
                  .bind(attempt.reproduce)
                  .bind(attempt.isolation)
                  .bind(attempt.seed)
                  .bind(attempt.fingerprint)
                  .bind(attempt.finished)
                  .bind(attempt.origin.author)
                  .bind(attempt.origin.target)
                  .bind(attempt.origin.iree)
                  .bind(attempt.origin.problem_sha256)
                  .bind(attempt.origin.candidate_sha256)
                  .bind(attempt.replay ? dump_json(to_json(*attempt.replay)) : "")
                  .bind(attempt.timing ? dump_json(to_json(*attempt.timing)) : "")
                  .bind(attempt.profile ? dump_json(to_json(*attempt.profile)) : "")
                  .bind(attempt.operation ? dump_json(to_json(*attempt.operation)) : "")
                  .run());
    ASSAY_ASSIGN(Statement put_stage,
                 database_.prepare("INSERT INTO stage VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)"));
    ASSAY_ASSIGN(Statement put_evidence,
                 database_.prepare("INSERT INTO evidence VALUES (?,?,?,?)"));
    for (size_t i = 0; i < attempt.stages.size(); ++i) {
      const StageRecord& stage = attempt.stages[i];
      auto position = static_cast<int64_t>(i);
      std::optional<int64_t> peak;
      if (stage.peak_bytes) peak = static_cast<int64_t>(*stage.peak_bytes);
      ASSAY_TRY(put_stage.bind(attempt.id)
                    .bind(position)
                    .bind(std::string(to_word(kStageWords, stage.stage)))
                    .bind(std::string(to_word(kStageStatusWords, stage.status)))
                    .bind(class_word(stage.failure))
                    .bind(stage.rule)
                    .bind(stage.error)
                    .bind(stage.wall_ns)
                    .bind(stage.cpu_ns)
                    .bind(peak)
                    .bind(int64_t{stage.reused})
                    .bind(stage.reuse)
                    .bind(std::string(stage.blamed ? to_word(kFaultWords, *stage.blamed) : ""))
                    .bind(stage.began_us)
                    .run());
      auto put_text = [&](const char* kind, const std::string& body) {
        return put_evidence.bind(attempt.id)
            .bind(position)
            .bind(std::string(kind))
            .bind(body)
            .run();
      };
      if (!stage.detail.empty()) ASSAY_TRY(put_text("detail", stage.detail));
      if (!stage.evidence.is_null()) ASSAY_TRY(put_text("evidence", dump_json(stage.evidence)));
    }
    ASSAY_ASSIGN(Statement put_artifact,
                 database_.prepare("INSERT INTO artifact VALUES (?,?,?,?)"));
    for (const ArtifactRecord& artifact : attempt.artifacts)
      ASSAY_TRY(put_artifact.bind(attempt.id)
                    .bind(artifact.name)
                    .bind(artifact.sha256)
                    .bind(static_cast<int64_t>(artifact.bytes))
                    .run());
    ASSAY_TRY(put_windows(database_, attempt.id, attempt.windows));
    return database_.execute("COMMIT");
  };
  ASSAY_TRY(database_.execute("BEGIN IMMEDIATE"));
  Status saved = save_all();
  if (saved) return {};
  (void)database_.execute("ROLLBACK");
  return while_doing(saved.error(), "storing attempt " + attempt.id);
}

Result<std::map<std::string, RunStore::Known>> RunStore::known() {
  std::map<std::string, Known> known;
  ASSAY_ASSIGN(
      Statement select,
      database_.prepare("SELECT id, fingerprint, verdict, path, CASE timing WHEN '' THEN 0 "
                        "ELSE json_array_length(timing, '$.speedups') END, origin_author, "
                        "candidate_sha256 FROM attempt"));
  while (true) {
    ASSAY_ASSIGN(bool row, select.step());
    if (!row) break;
    ASSAY_ASSIGN(Verdict verdict, word_in(kVerdictWords, select.text(2)));
    known[select.text(0)] = {.fingerprint = select.text(1),
                             .verdict = verdict,
                             .path = select.text(3),
                             .author = select.text(5),
                             .candidate_sha256 = select.text(6),
                             .comparisons = static_cast<size_t>(select.integer(4))};
  }
  ASSAY_ASSIGN(Statement artifacts, database_.prepare("SELECT * FROM artifact"));
  while (true) {
    ASSAY_ASSIGN(bool row, artifacts.step());
    if (!row) return known;
    known[artifacts.text(0)].artifacts.push_back(read_artifact(artifacts));
  }
}

Result<std::vector<Attempt>> RunStore::attempts(bool with_detail) {
  return read("", "", with_detail ? Evidence::values : Evidence::tabulated);
}

Result<std::vector<Attempt>> RunStore::attempts_as_text() { return read("", "", Evidence::texts); }

Result<std::optional<Attempt>> RunStore::find(const std::string& attempt_id) {
  ASSAY_ASSIGN(std::vector<Attempt> found, read("= ?", attempt_id, Evidence::values));
  if (found.empty()) return std::optional<Attempt>{};
  return std::optional<Attempt>{std::move(found.front())};
}

Result<std::vector<WindowRecord>> RunStore::windows(const std::string& attempt_id) {
  return read_windows(database_, attempt_id);
}

}  // namespace assay

// Attempts out of a run's tables.
#include <fmt/format.h>

#include <array>
#include <span>
#include <utility>

#include "store/attempt_rows.h"
#include "store/run_store.h"
#include "store/window_table.h"

namespace assay {
namespace {

// What is read of a table, in the order of today's columns.
std::string columns_of(const std::string& table, int tables_version) {
  if (table == "stage" && tables_version < 7) return "*, '' AS blamed, NULL AS began_us";
  if (table == "stage" && tables_version < 9) return "*, NULL AS began_us";
  if (table == "attempt" && tables_version < 8) return "*, '' AS profile, '' AS operation";
  return "*";
}

Result<StageRecord> read_stage(const Statement& row) {
  StageRecord stage;
  ASSAY_ASSIGN(stage.stage, word_in(kStageWords, row.view(2)));
  ASSAY_ASSIGN(stage.status, word_in(kStageStatusWords, row.view(3)));
  if (!row.view(4).empty()) {
    ASSAY_ASSIGN(stage.failure, word_in(kFailureClassWords, row.view(4)));
  }
  stage.rule = row.text(5);
  stage.error = row.text(6);
  if (!row.null(7)) stage.wall_ns = row.integer(7);
  if (!row.null(8)) stage.cpu_ns = row.integer(8);
  if (!row.null(9)) stage.peak_bytes = static_cast<uint64_t>(row.integer(9));
  stage.reused = row.integer(10) != 0;
  stage.reuse = row.text(11);
  if (!row.view(12).empty()) {
    ASSAY_ASSIGN(stage.blamed, word_in(kFaultWords, row.view(12)));
  }
  if (!row.null(13)) stage.began_us = row.integer(13);
  return stage;
}

Result<Attempt> read_attempt(const Statement& row) {
  Attempt attempt;
  attempt.id = row.text(0);
  attempt.workload = row.text(1);
  attempt.path = row.text(2);
  attempt.suite = row.text(3);
  attempt.level = row.text(4);
  attempt.author = row.text(5);
  attempt.candidate = static_cast<int>(row.integer(6));
  attempt.target = row.text(7);
  ASSAY_ASSIGN(attempt.precision, word_in(kPrecisionWords, row.view(8)));
  attempt.mode = row.text(9);
  ASSAY_ASSIGN(attempt.verdict, word_in(kVerdictWords, row.view(10)));
  attempt.reproduce = row.text(11);
  attempt.isolation = row.text(12);
  attempt.seed = row.text(13);
  attempt.fingerprint = row.text(14);
  attempt.finished = row.text(15);
  attempt.origin = {row.text(16), row.text(17), row.text(18), row.text(19), row.text(20)};
  if (!row.view(21).empty()) {
    ASSAY_ASSIGN(Json replay, parse_json(row.view(21), "what " + attempt.id + " replays"));
    ASSAY_ASSIGN(attempt.replay, replay_from_json(replay));
  }
  if (!row.view(22).empty()) {
    ASSAY_ASSIGN(Json timing, parse_json(row.view(22), "the timing of " + attempt.id));
    ASSAY_ASSIGN(attempt.timing, timing_from_json(timing));
  }
  if (!row.view(23).empty()) {
    ASSAY_ASSIGN(Json profile, parse_json(row.view(23), "the profile of " + attempt.id));
    ASSAY_ASSIGN(attempt.profile, profile_from_json(profile));
  }
  if (!row.view(24).empty()) {
    ASSAY_ASSIGN(Json operation, parse_json(row.view(24), "the operation of " + attempt.id));
    ASSAY_ASSIGN(attempt.operation, operation_facts_from_json(operation));
  }
  return attempt;
}

// What reports tabulate of a stage's evidence, out of its JSON.
Json tabulated(const StageRecord& stage, std::string_view json) {
  constexpr std::array<std::string_view, 6> kOfCompile{"dispatches",   "check", "code",
                                                       "shared_bytes", "suite", "kernels"};
  constexpr std::array<std::string_view, 6> kOfVerify{"weaker", "check",     "labelled",
                                                      "suite",  "rms_ratio", "compiling"};
  constexpr std::array<std::string_view, 1> kOfMeasure{"against"};
  std::span<const std::string_view> keys;
  if (stage.stage == Stage::compile) keys = kOfCompile;
  if (stage.stage == Stage::verify || stage.stage == Stage::smoke) keys = kOfVerify;
  if (stage.stage == Stage::measure) keys = kOfMeasure;
  Json found;
  const std::vector<std::string_view> values = values_in_json(json, keys);
  for (size_t i = 0; i < keys.size(); ++i)
    if (auto value = parse_json(values[i], "evidence"))
      found[std::string(keys[i])] = std::move(*value);
  return found;
}

}  // namespace

// Each table is read once, in the order of ids, and merged: no query per attempt.
Result<std::vector<Attempt>> RunStore::read(const std::string& where, const std::string& id,
                                            Evidence evidence) {
  // Calls `take(statement)` for each row of the table.
  auto each = [&](const std::string& table, const std::string& key, const std::string& order,
                  auto take) -> Status {
    std::string sql = "SELECT " + columns_of(table, tables_version_) + " FROM " + table;
    if (!where.empty()) sql += " WHERE " + key + " " + where;
    ASSAY_ASSIGN(Statement row, database_.prepare(sql + " ORDER BY " + order));
    if (!where.empty()) row.bind(id);
    while (true) {
      ASSAY_ASSIGN(bool there, row.step());
      if (!there) return {};
      ASSAY_TRY(take(row));
    }
  };
  // One snapshot, also while a run goes on.
  ASSAY_TRY(database_.execute("BEGIN"));
  struct Ender {
    Database& database;
    ~Ender() { (void)database.execute("COMMIT"); }
  } ender{database_};

  std::vector<Attempt> attempts;
  ASSAY_TRY(each("attempt", "id", "id", [&](const Statement& row) -> Status {
    ASSAY_ASSIGN(Attempt attempt, read_attempt(row));
    attempts.push_back(std::move(attempt));
    return {};
  }));
  // As `each`, for a table whose rows belong to an attempt; others are not looked at.
  auto each_owned = [&](const std::string& table, const std::string& order, auto take) {
    auto owner = attempts.begin();
    return each(table, "attempt_id", "attempt_id, " + order, [&](const Statement& row) -> Status {
      while (owner != attempts.end() && owner->id < row.view(0)) ++owner;
      if (owner == attempts.end() || owner->id != row.view(0)) return {};
      return take(row, *owner);
    });
  };
  ASSAY_TRY(each_owned("stage", "position", [](const Statement& row, Attempt& attempt) -> Status {
    ASSAY_ASSIGN(StageRecord stage, read_stage(row));
    attempt.stages.push_back(std::move(stage));
    return {};
  }));
  ASSAY_TRY(each_owned("artifact", "name", [](const Statement& row, Attempt& attempt) -> Status {
    attempt.artifacts.push_back(read_artifact(row));
    return {};
  }));
  ASSAY_TRY(
      each_owned("evidence", "position", [&](const Statement& row, Attempt& attempt) -> Status {
        auto position = static_cast<size_t>(row.integer(1));
        if (position >= attempt.stages.size()) return {};
        StageRecord& stage = attempt.stages[position];
        if (row.view(2) == "detail") {
          if (evidence != Evidence::tabulated) stage.detail = row.view(3);
        } else if (evidence == Evidence::values) {
          ASSAY_ASSIGN(stage.evidence, parse_json(row.view(3), "evidence of " + attempt.id));
        } else {
          stage.evidence = tabulated(stage, row.view(3));
          if (evidence == Evidence::tabulated) return {};
          if (!Json::accept(row.view(3)))
            return error(Code::corrupt, "evidence of " + attempt.id + " is not JSON");
          stage.evidence_text = row.view(3);
        }
        return {};
      }));
  for (const Attempt& attempt : attempts) ASSAY_TRY(check(attempt));
  return attempts;
}

}  // namespace assay

#include "store/search_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace assay {
namespace {

// A search that nobody has been asked for yet, or that --spend left no room for, is one of the run.
void add_searches_without_answers(SearchRecord& record) {
  std::set<std::string> begun;
  for (const Tree& tree : record.trees) begun.insert(tree.problem());
  for (const auto& [id, place] : record.places)
    if (!begun.contains(id)) record.trees.emplace_back(id);
  std::ranges::sort(record.trees, {}, &Tree::problem);
}

constexpr const char* kSearchTables = R"sql(
  CREATE TABLE IF NOT EXISTS search (terms TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS node (
    problem TEXT NOT NULL, number INTEGER NOT NULL, asked TEXT NOT NULL, answer TEXT, verdict TEXT,
    confirmed TEXT, PRIMARY KEY (problem, number)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS call (
    id INTEGER PRIMARY KEY, problem TEXT NOT NULL, node INTEGER NOT NULL,
    reserved_tokens INTEGER NOT NULL, reserved_usd TEXT, tokens INTEGER, usd TEXT
  );
)sql";

// Money as text: a double that is written and read again is the same.
std::string money(const std::optional<double>& usd) { return usd ? fmt::format("{}", *usd) : ""; }

std::optional<double> money_in(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return std::strtod(text.c_str(), nullptr);
}

}  // namespace

template <class Work>
Status SearchStore::in_transaction(Work work) {
  ASSAY_TRY(database_->execute("BEGIN IMMEDIATE"));
  Status done = work();
  if (!done) {
    (void)database_->execute("ROLLBACK");
    return done;
  }
  return database_->execute("COMMIT");
}

Status SearchStore::create() { return database_->execute(kSearchTables); }

Result<bool> SearchStore::exists() {
  ASSAY_ASSIGN(
      Statement select,
      database_->prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'node'"));
  return select.step();
}

Result<std::optional<Json>> SearchStore::terms() {
  ASSAY_ASSIGN(Statement select, database_->prepare("SELECT terms FROM search"));
  ASSAY_ASSIGN(bool there, select.step());
  if (!there) return std::optional<Json>{};
  ASSAY_ASSIGN(Json terms, parse_json(select.text(0), "how the search was asked for"));
  return std::optional(std::move(terms));
}

Status SearchStore::put_terms(const Json& terms) {
  return in_transaction([&]() -> Status {
    ASSAY_TRY(database_->execute("DELETE FROM search"));
    ASSAY_ASSIGN(Statement insert, database_->prepare("INSERT INTO search VALUES (?)"));
    return insert.bind(dump_json(terms)).run();
  });
}

Status SearchStore::update_terms(const Json& fields) {
  ASSAY_ASSIGN(auto known, terms());
  Json now = known.value_or(Json::object());
  now.update(fields);
  return put_terms(now);
}

Status SearchStore::add_node(const SearchNode& node) {
  ASSAY_ASSIGN(Statement insert,
               database_->prepare("INSERT INTO node (problem, number, asked) VALUES (?, ?, ?)"));
  return insert.bind(node.problem)
      .bind(int64_t{node.number})
      .bind(dump_json(asked_to_json(node)))
      .run();
}

Result<int64_t> SearchStore::put_asked(const SearchNode& node, const CallRecord& call) {
  int64_t id = 0;
  ASSAY_TRY(in_transaction([&]() -> Status {
    ASSAY_TRY(add_node(node));
    ASSAY_ASSIGN(id, add_call(call));
    return {};
  }));
  return id;
}

Result<int64_t> SearchStore::put_call(const CallRecord& call) {
  int64_t id = 0;
  ASSAY_TRY(in_transaction([&]() -> Status {
    // All at once: a node with a verdict and without an answer is none.
    ASSAY_ASSIGN(
        Statement update,
        database_->prepare("UPDATE node SET answer = NULL, verdict = NULL, confirmed = NULL "
                           "WHERE problem = ? AND number = ?"));
    ASSAY_TRY(update.bind(call.problem).bind(int64_t{call.node}).run());
    ASSAY_ASSIGN(id, add_call(call));
    return {};
  }));
  return id;
}

Result<int64_t> SearchStore::add_call(const CallRecord& call) {
  ASSAY_ASSIGN(Statement insert,
               database_->prepare("INSERT INTO call (problem, node, reserved_tokens, reserved_usd) "
                                  "VALUES (?, ?, ?, ?)"));
  ASSAY_TRY(insert.bind(call.problem)
                .bind(int64_t{call.node})
                .bind(call.reserved_tokens)
                .bind(money(call.reserved_usd))
                .run());
  ASSAY_ASSIGN(Statement last, database_->prepare("SELECT last_insert_rowid()"));
  ASSAY_TRY(last.step());
  return last.integer(0);
}

Status SearchStore::put_reserved(int64_t call, const CallRecord& reserved) {
  ASSAY_ASSIGN(
      Statement update,
      database_->prepare("UPDATE call SET reserved_tokens = ?, reserved_usd = ? WHERE id = ?"));
  return update.bind(reserved.reserved_tokens).bind(money(reserved.reserved_usd)).bind(call).run();
}

Status SearchStore::put_answer(const SearchNode& node, int64_t call, const CallRecord& settled) {
  return in_transaction([&]() -> Status {
    ASSAY_TRY(put("answer", node, to_json(*node.answer)));
    return put_settled(call, settled);
  });
}

Status SearchStore::put_settled(int64_t call, const CallRecord& settled) {
  ASSAY_ASSIGN(Statement update,
               database_->prepare("UPDATE call SET tokens = ?, usd = ? WHERE id = ?"));
  return update.bind(settled.tokens).bind(money(settled.usd)).bind(call).run();
}

Result<int64_t> SearchStore::put_asked_again(const SearchNode& node, int64_t before,
                                             const CallRecord& settled, const CallRecord& call) {
  int64_t id = 0;
  ASSAY_TRY(in_transaction([&]() -> Status {
    ASSAY_TRY(put_settled(before, settled));
    ASSAY_TRY(put("asked", node, asked_to_json(node)));
    ASSAY_ASSIGN(id, add_call(call));
    return {};
  }));
  return id;
}

Status SearchStore::put_verdict(const SearchNode& node) {
  return put("verdict", node, to_json(*node.verdict));
}

Status SearchStore::put_confirmed(const SearchNode& node) {
  return put("confirmed", node, to_json(*node.confirmed));
}

Status SearchStore::put(const char* column, const SearchNode& node, const Json& value) {
  ASSAY_ASSIGN(Statement update,
               database_->prepare(
                   fmt::format("UPDATE node SET {} = ? WHERE problem = ? AND number = ?", column)));
  return update.bind(dump_json(value)).bind(node.problem).bind(int64_t{node.number}).run();
}

Result<std::vector<SearchNode>> SearchStore::nodes() {
  ASSAY_ASSIGN(Statement row, database_->prepare("SELECT * FROM node ORDER BY problem, number"));
  std::vector<SearchNode> nodes;
  while (true) {
    ASSAY_ASSIGN(bool there, row.step());
    if (!there) return nodes;
    const std::string problem = row.text(0);
    const int number = static_cast<int>(row.integer(1));
    const std::string what = fmt::format("node {} of {}", number, problem);
    ASSAY_ASSIGN(Json asked, parse_json(row.view(2), what));
    ASSAY_ASSIGN(SearchNode node, node_from_json(problem, number, asked));
    if (!row.null(3)) {
      ASSAY_ASSIGN(Json json, parse_json(row.view(3), what));
      ASSAY_ASSIGN(node.answer, node_answer_from_json(json));
    }
    if (!row.null(4)) {
      ASSAY_ASSIGN(Json json, parse_json(row.view(4), what));
      ASSAY_ASSIGN(node.verdict, node_verdict_from_json(json));
    }
    if (!row.null(5)) {
      ASSAY_ASSIGN(Json json, parse_json(row.view(5), what));
      ASSAY_ASSIGN(node.confirmed, node_verdict_from_json(json));
    }
    nodes.push_back(std::move(node));
  }
}

Result<std::vector<Tree>> SearchStore::trees() {
  ASSAY_ASSIGN(auto all, nodes());
  return trees_of(std::move(all));
}

Result<std::vector<CallRecord>> SearchStore::calls() {
  ASSAY_ASSIGN(
      Statement row,
      database_->prepare("SELECT problem, node, reserved_tokens, reserved_usd, tokens, usd "
                         "FROM call ORDER BY id"));
  std::vector<CallRecord> calls;
  while (true) {
    ASSAY_ASSIGN(bool there, row.step());
    if (!there) return calls;
    calls.push_back({.problem = row.text(0),
                     .node = static_cast<int>(row.integer(1)),
                     .reserved_tokens = row.integer(2),
                     .reserved_usd = money_in(row.text(3)),
                     .is_settled = !row.null(4),
                     .tokens = row.integer(4),
                     .usd = money_in(row.text(5))});
  }
}

Result<SearchRecord> SearchStore::record() {
  ASSAY_ASSIGN(bool is_search, exists());
  if (!is_search) return SearchRecord{};
  ASSAY_ASSIGN(auto asked, terms());
  const Json known = asked.value_or(Json::object());
  SearchRecord record{.terms = search_terms_from_json(known),
                      .language = field_or(known, "lang", std::string())};
  record.wall_ns = field_or(known, kWallNs, int64_t{0});
  record.judge_idle_ns = field_or(known, kJudgeIdleNs, int64_t{0});
  record.kept_s = field_or(known, kKeptS, int64_t{0});
  if (const Json ended = field_or(known, kEnded, Json()); ended.is_object())
    for (const auto& [problem, why] : ended.items())
      if (why.is_string()) record.ended[problem] = why;
  record.places = search_places_from_json(field_or(known, kPlaces, Json()));
  record.asked = field_or(known, "asked", Json());
  ASSAY_ASSIGN(record.trees, trees());
  // Of an assay that did not keep them: as it laid them out.
  std::vector<std::string> ids;
  for (const Tree& tree : record.trees) ids.push_back(tree.problem());
  for (const std::string& id : ids)
    record.places.try_emplace(id, SearchPlace{.is_flat = have_one_place(ids)});
  add_searches_without_answers(record);
  ASSAY_ASSIGN(record.calls, calls());
  return record;
}

}  // namespace assay

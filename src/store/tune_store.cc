#include "store/tune_store.h"

namespace assay {

Status TuneStore::create() {
  return database_->execute(
      "CREATE TABLE IF NOT EXISTS tuning (number INTEGER PRIMARY KEY, line TEXT NOT NULL)");
}

Status TuneStore::add(const Json& line) {
  ASSAY_ASSIGN(Statement insert, database_->prepare("INSERT INTO tuning (line) VALUES (?)"));
  return insert.bind(dump_json(line)).run();
}

Result<std::vector<Json>> TuneStore::lines() {
  ASSAY_ASSIGN(Statement select, database_->prepare("SELECT line FROM tuning ORDER BY number"));
  std::vector<Json> lines;
  while (true) {
    ASSAY_ASSIGN(const bool there, select.step());
    if (!there) return lines;
    ASSAY_ASSIGN(Json line, parse_json(select.text(0), "a line of what was tuned"));
    lines.push_back(std::move(line));
  }
}

}  // namespace assay

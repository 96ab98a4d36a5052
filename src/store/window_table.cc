#include "store/window_table.h"

#include <utility>

namespace assay {

const char* const kWindowTable = R"sql(
  CREATE TABLE window (
    attempt_id TEXT NOT NULL, launch INTEGER NOT NULL, round INTEGER NOT NULL,
    place INTEGER NOT NULL, side INTEGER NOT NULL, use TEXT NOT NULL, calls INTEGER NOT NULL,
    wall_ns INTEGER NOT NULL, cpu_ns INTEGER NOT NULL, draw TEXT NOT NULL,
    process_cpu_ns INTEGER, waited_ns INTEGER NOT NULL, around_cpu_ns INTEGER NOT NULL,
    PRIMARY KEY (attempt_id, launch, round, place)
  ) WITHOUT ROWID;
)sql";

Status put_windows(Database& database, const std::string& attempt_id,
                   const std::vector<WindowRecord>& windows) {
  ASSAY_ASSIGN(Statement put,
               database.prepare("INSERT INTO window VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)"));
  for (const WindowRecord& window : windows)
    ASSAY_TRY(put.bind(attempt_id)
                  .bind(int64_t{window.launch})
                  .bind(int64_t{window.round})
                  .bind(int64_t{window.place})
                  .bind(int64_t{window.side})
                  .bind(std::string(to_word(kWindowUseWords, window.use)))
                  .bind(int64_t{window.calls})
                  .bind(window.wall_ns)
                  .bind(window.cpu_ns)
                  .bind(window.draw)
                  .bind(window.process_cpu_ns)
                  .bind(window.waited_ns)
                  .bind(window.around_cpu_ns)
                  .run());
  return {};
}

Result<std::vector<WindowRecord>> read_windows(Database& database, const std::string& attempt_id) {
  ASSAY_ASSIGN(Statement row, database.prepare("SELECT * FROM window WHERE attempt_id = ? "
                                               "ORDER BY launch, round, place"));
  row.bind(attempt_id);
  std::vector<WindowRecord> windows;
  while (true) {
    ASSAY_ASSIGN(bool there, row.step());
    if (!there) return windows;
    WindowRecord window;
    window.launch = static_cast<int>(row.integer(1));
    window.round = static_cast<int>(row.integer(2));
    window.place = static_cast<int>(row.integer(3));
    window.side = static_cast<int>(row.integer(4));
    auto use = from_word(kWindowUseWords, row.view(5));
    if (!use) return error(Code::corrupt, "the store has a window for '" + row.text(5) + "'");
    window.use = *use;
    window.calls = static_cast<int>(row.integer(6));
    window.wall_ns = row.integer(7);
    window.cpu_ns = row.integer(8);
    window.draw = row.text(9);
    window.process_cpu_ns = row.optional_integer(10);
    window.waited_ns = row.integer(11);
    window.around_cpu_ns = row.integer(12);
    windows.push_back(std::move(window));
  }
}

}  // namespace assay

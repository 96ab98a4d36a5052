#include "store/sqlite.h"

namespace assay {
namespace {

std::unexpected<Error> sqlite_error(sqlite3* database, const std::string& doing) {
  int code = database ? sqlite3_errcode(database) : SQLITE_NOMEM;
  std::string text = database ? sqlite3_errmsg(database) : "out of memory";
  Code kind = code == SQLITE_CORRUPT || code == SQLITE_NOTADB ? Code::corrupt : Code::io;
  std::string next;
  if (code == SQLITE_FULL) next = "free some disk space and run the same command again";
  // SQLite says no more than this when the file that it shares between processes finds no room.
  if (code == SQLITE_IOERR)
    next = "is that disk full? free some space and run the same command again";
  return error(kind, "cannot " + doing + ": " + text, next);
}

// A path as SQLite's URI: what would end it is percent-escaped.
std::string file_uri(const std::string& path) {
  std::string uri = "file:";
  for (char c : path) {
    if (c == '%' || c == '?' || c == '#')
      uri += c == '%' ? "%25" : c == '?' ? "%3f" : "%23";
    else
      uri += c;
  }
  return uri;
}

}  // namespace

Statement& Statement::bind(const std::string& text) {
  sqlite3_bind_text(statement_.get(), ++bound_, text.data(), static_cast<int>(text.size()),
                    SQLITE_TRANSIENT);
  return *this;
}

Statement& Statement::bind(int64_t number) {
  sqlite3_bind_int64(statement_.get(), ++bound_, number);
  return *this;
}

Statement& Statement::bind(const std::optional<int64_t>& number) {
  if (number) return bind(*number);
  sqlite3_bind_null(statement_.get(), ++bound_);
  return *this;
}

Result<bool> Statement::step() {
  int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return sqlite_error(sqlite3_db_handle(statement_.get()), "use the store");
}

Status Statement::run() {
  auto stepped = step();
  sqlite3_reset(statement_.get());
  bound_ = 0;
  if (!stepped) return std::unexpected(stepped.error());
  return {};
}

std::string Statement::text(int column) const { return std::string(view(column)); }

std::string_view Statement::view(int column) const {
  const unsigned char* bytes = sqlite3_column_text(statement_.get(), column);
  if (!bytes) return "";
  return {reinterpret_cast<const char*>(bytes),
          static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::optional<int64_t> Statement::optional_integer(int column) const {
  if (null(column)) return std::nullopt;
  return integer(column);
}

bool Statement::null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

Result<Database> Database::open(const std::string& path, Access access) {
  Database result;
  result.path_ = path;
  // A reader opens for writing where it may: so the last one tidies the log away.
  int flags = access == Access::unchanging ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  if (access == Access::read_write) flags |= SQLITE_OPEN_CREATE;
  // One thread at a time uses a Database: no lock is needed for each column that is read.
  flags |= SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  sqlite3* raw = nullptr;
  std::string name = file_uri(path) + (access == Access::unchanging ? "?immutable=1" : "");
  int code = sqlite3_open_v2(name.c_str(), &raw, flags, nullptr);
  result.database_.reset(raw);
  if (code != SQLITE_OK) return sqlite_error(raw, "open '" + path + "'");
  sqlite3_busy_timeout(raw, 5000);
  return result;
}

std::unexpected<Error> Database::failure(const std::string& doing) const {
  return sqlite_error(database_.get(), doing + " '" + path_ + "'");
}

Status Database::execute(const std::string& sql) {
  if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return failure("use");
}

Result<Statement> Database::prepare(const std::string& sql) {
  sqlite3_stmt* raw = nullptr;
  int code = sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &raw, nullptr);
  Statement statement;
  statement.statement_.reset(raw);
  if (code != SQLITE_OK) return failure("read");
  return statement;
}

Result<int64_t> Database::integer_pragma(const std::string& name) {
  ASSAY_ASSIGN(Statement statement, prepare("PRAGMA " + name));
  ASSAY_ASSIGN(bool row, statement.step());
  return row ? statement.integer(0) : 0;
}

}  // namespace assay

#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace assay {

// One prepared statement. Bind in order, then step; reset by the next bind.
class Statement {
 public:
  Statement() = default;

  Statement& bind(const std::string& text);
  Statement& bind(int64_t number);
  Statement& bind(const std::optional<int64_t>& number);
  // True while there is a row.
  Result<bool> step();
  // For statements without rows.
  Status run();

  std::string text(int column) const;       // "" for NULL
  std::string_view view(int column) const;  // the same, until the next step
  int64_t integer(int column) const;        // 0 for NULL
  std::optional<int64_t> optional_integer(int column) const;
  bool null(int column) const;

 private:
  friend class Database;
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
  int bound_ = 0;
};

// One SQLite file. Errors name the file.
class Database {
 public:
  // unchanging: a file in a place where nothing can be written, read as if nobody did.
  enum class Access { read, read_write, unchanging };
  static Result<Database> open(const std::string& path, Access access);

  // One or more statements without parameters or rows.
  Status execute(const std::string& sql);
  Result<Statement> prepare(const std::string& sql);
  Result<int64_t> integer_pragma(const std::string& name);

 private:
  std::unexpected<Error> failure(const std::string& doing) const;

  struct Closer {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  std::unique_ptr<sqlite3, Closer> database_;
  std::string path_;
};

}  // namespace assay

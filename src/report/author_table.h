// Problems by authors: how long one call takes by each, as of networks by several compilers.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "model/attempt.h"
#include "report/table.h"

namespace assay {

// How long a call by one author takes, or what became of it.
struct AuthorCell {
  std::string attempt{};  // its id; "": there is none
  std::string said{};     // of what has no time: its verdict
  // 0: it has no time. Times of one launch each, or as the interval against the baseline has it.
  double median_ns = 0, low_ns = 0, high_ns = 0;
  double ratio = 0;         // how many times as fast as the baseline beside it; 0: none was
  bool is_fastest = false;  // no other's interval lies below its own
};

struct AuthorTable {
  struct Line {
    std::string problem;  // with its target, where there are several
    std::vector<AuthorCell> cells{};
  };
  std::vector<std::string> authors{};  // the baseline or eager first
  std::vector<Line> lines{};
  // Geometric means over the `in_mean` lines in which all have a time, of how many times as fast as
  // the first author each is. Who has a time in no line stands aside, and has the mean 0.
  size_t in_mean = 0;
  std::vector<double> means{};

  bool is_there() const { return !lines.empty(); }
};

// Empty where there is no such table to be made: fewer than two authors have times, or one of them
// has several candidates of a problem, or they are so many that nobody could read it.
AuthorTable author_table(const std::vector<Attempt>& attempts);

// A head, a row for each problem, and one of means. The fastest have a star.
std::vector<Row> author_rows(const AuthorTable& table);
// What stands above it.
std::string author_title(const AuthorTable& table);
Json to_json(const AuthorTable& table);

}  // namespace assay

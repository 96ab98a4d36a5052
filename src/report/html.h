// What the page is made of, and written by the sources beside this one: html.cc the whole,
// html_table.cc the table of all attempts, html_details.cc what else is known of each.
// docs/formats.md describes the data, and web/data.ts reads them.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>

#include "base/json.h"
#include "report/format.h"
#include "report/run_reader.h"

namespace assay {

inline constexpr int kPageFormat = 1;
inline constexpr size_t kAttemptsInBlock = 50;

// What is said of a run as a whole, and of causes, by the numbers of attempts.
Json page_head(const ReportInput& input);
// Of attempts: a column for each thing that the page tabulates, filters or draws.
Json page_columns(const RunSettings& settings, std::span<const Attempt> attempts);
// Both: what the page decodes first.
Json page_table(const ReportInput& input);

// The page without data: what stands before them, and behind. `connects`: it may ask where it came
// from for more.
struct PageFrame {
  std::string before, after;
};
Result<PageFrame> page_frame(bool connects);
// How often assay errs, as its study found: what stands beside what a run says. null: it is not
// there.
Json page_error_rates();

// The tree of answers of each search.
Json page_trees(const SearchRecord& record);

// Which answer an attempt is, and what it changed; null: it is none. Points into the record.
class AnswersOfAttempts {
 public:
  explicit AnswersOfAttempts(const SearchRecord& record);
  Json of(const std::string& attempt) const;

 private:
  std::map<std::string, std::pair<const Tree*, const SearchNode*>> found_;
};

// Of an attempt that has kept phases, in order: what each changed. `bytes_left` is what diffs may
// take, and becomes less; with nothing left none is read.
struct PagePhases {
  Json all = Json::array();  // empty: it has kept none
  bool lacks_room = false;   // something is left out, as more would be too much
};
PagePhases page_phases(const Attempt& attempt, const std::string& folder, RunReader& reader,
                       size_t& bytes_left);

// The details of attempts, with their sources and phases until `source_bytes` are used up.
class PageDetails {
 public:
  PageDetails(const ReportInput& input, size_t source_bytes)
      : input_(input), answers_(input.search), bytes_left_(source_bytes) {}

  // As JSON, appended.
  Status append(std::string& text, const Attempt& attempt);
  // Of attempts whose sources found no room.
  size_t without_source() const { return without_source_; }
  // Of attempts whose phases found no room, or not all of them.
  size_t without_phases() const { return without_phases_; }

 private:
  Json files_of(const Attempt& attempt);

  const ReportInput& input_;
  AnswersOfAttempts answers_;
  size_t bytes_left_;
  size_t without_source_ = 0, without_phases_ = 0;
};

}  // namespace assay

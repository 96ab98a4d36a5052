// What the page is made of, and written by the sources beside this one: html.cc the whole,
// html_table.cc the table of all attempts, html_details.cc what else is known of each.
// docs/formats.md describes the data, and web/data.ts reads them.
#pragma once

#include <span>
#include <string>

#include "base/json.h"
#include "report/format.h"
#include "report/run_reader.h"

namespace assay {

inline constexpr int kPageFormat = 1;
inline constexpr size_t kAttemptsInBlock = 50;

// What is said of a run as a whole, and of causes, by the numbers of attempts.
Json page_head(const ReportInput& input);
// Of attempts: a column for each thing that the page tabulates, filters or draws.
Json page_columns(std::span<const Attempt> attempts);
// Both: what the page decodes first.
Json page_table(const ReportInput& input);

// The page without data: what stands before them, and behind. `connects`: it may ask where it came
// from for more.
struct PageFrame {
  std::string before, after;
};
Result<PageFrame> page_frame(bool connects);

// The details of attempts, with their sources until `source_bytes` are used up.
class PageDetails {
 public:
  PageDetails(const ReportInput& input, size_t source_bytes)
      : input_(input), bytes_left_(source_bytes) {}

  // As JSON, appended.
  Status append(std::string& text, const Attempt& attempt);
  // Of attempts whose sources found no room.
  size_t without_source() const { return without_source_; }

 private:
  Json files_of(const Attempt& attempt);

  const ReportInput& input_;
  size_t bytes_left_;
  size_t without_source_ = 0;
};

}  // namespace assay

// Report formats. Each is one file beside this one and one line in format.cc; docs/hacking.md shows
// how to add one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/summary.h"

namespace assay {

// Where a report goes, piece by piece: that of a large run has hundreds of megabytes, which nobody
// needs to hold.
class ReportSink {
 public:
  virtual ~ReportSink() = default;
  // What is written from here on belongs to this file; the name is for folders.
  void begin_file(const std::string& name);
  void write(std::string_view text);
  // Hands on what is still held.
  void flush();

 private:
  virtual void open(const std::string& name) = 0;
  virtual void take(std::string_view piece) = 0;

  std::string piece_;
};

struct ReportFormat {
  std::string_view name;
  std::string_view title;
  bool everything;  // it shows the long texts and all evidence, so they must be read
  bool folder;      // it makes several files, which belong into one folder
  void (*render)(const ReportInput& input, ReportSink& sink);
};

std::span<const ReportFormat> report_formats();
const ReportFormat* find_report_format(std::string_view name);

void render_terminal(const ReportInput& input, ReportSink& sink);
void render_markdown(const ReportInput& input, ReportSink& sink);
void render_json(const ReportInput& input, ReportSink& sink);
void render_json_lines(const ReportInput& input, ReportSink& sink);
void render_csv(const ReportInput& input, ReportSink& sink);
void render_junit(const ReportInput& input, ReportSink& sink);
void render_kernelbench(const ReportInput& input, ReportSink& sink);
void render_classic(const ReportInput& input, ReportSink& sink);

// What several formats say in the same words.
// "failed (export: load)", "compiled".
std::string verdict_in_words(const Attempt& attempt);
// Versions and machine on one line each, {"torch", "2.13.0"}, and how candidates were jailed:
// {"isolation", "L3"}.
std::vector<std::pair<std::string, std::string>> provenance(const RunRecord& run,
                                                            const std::vector<Attempt>& attempts);

}  // namespace assay

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

struct ReportFile {
  std::string name;  // in a folder, where it gets no other
  std::string text;
};

struct ReportFormat {
  std::string_view name;
  std::string_view title;
  bool everything;  // it shows the long texts and all evidence, so they must be read
  bool folder;      // it makes several files, which belong into one folder
  std::vector<ReportFile> (*render)(const ReportInput& input);
};

std::span<const ReportFormat> report_formats();
const ReportFormat* find_report_format(std::string_view name);

std::string render_terminal(const ReportInput& input);
std::string render_markdown(const ReportInput& input);
std::string render_json(const ReportInput& input);
std::string render_json_lines(const ReportInput& input);
std::string render_csv(const ReportInput& input);
std::string render_junit(const ReportInput& input);
std::vector<ReportFile> render_classic(const ReportInput& input);

// What several formats say in the same words.
// "failed (export: load)", "compiled".
std::string verdict_in_words(const Attempt& attempt);
// Versions and machine on one line each: {"torch", "2.13.0"}, ...
std::vector<std::pair<std::string, std::string>> provenance(const RunRecord& run);

}  // namespace assay

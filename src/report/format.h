// Report formats. Each is one file beside this one and one line in format.cc; docs/hacking.md shows
// how to add one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/summary.h"

namespace assay {

struct ReportFormat {
  std::string_view name;
  std::string_view title;
  std::string (*render)(const ReportInput& input);
};

std::span<const ReportFormat> report_formats();
const ReportFormat* find_report_format(std::string_view name);

std::string render_terminal(const ReportInput& input);
std::string render_markdown(const ReportInput& input);
std::string render_json(const ReportInput& input);

// What several formats say in the same words.
// "compile 1.2 s", "-" where there is none.
std::string stage_time(const Attempt& attempt, Stage stage);
// Bytes of the compiled artifact; "-" where there is none.
std::string artifact_size(const Attempt& attempt);
// "failed (export: load)", "compiled".
std::string verdict_in_words(const Attempt& attempt);
// Versions and machine on one line each: {"torch", "2.13.0"}, ...
std::vector<std::pair<std::string, std::string>> provenance(const RunRecord& run);

}  // namespace assay

#include "report/format.h"

#include <fmt/format.h>

namespace assay {
namespace {

using Render = std::string (*)(const ReportInput&);

struct FileName {
  char text[16];
};

// A format that makes one file.
template <Render render, FileName name>
std::vector<ReportFile> one_file(const ReportInput& input) {
  return {{name.text, render(input)}};
}

constexpr ReportFormat kFormats[] = {
    {"terminal", "what passed where, why the rest did not, and those attempts", false, false,
     one_file<render_terminal, FileName{"report.txt"}>},
    {"md", "Markdown, as written to RUN/report.md", false, false,
     one_file<render_markdown, FileName{"report.md"}>},
    {"json", "everything that is stored, as written to RUN/report.json", true, false,
     one_file<render_json, FileName{"report.json"}>},
    {"jsonl", "the attempts of the JSON, one on each line", true, false,
     one_file<render_json_lines, FileName{"report.jsonl"}>},
    {"csv", "one row per attempt, for spreadsheets", false, false,
     one_file<render_csv, FileName{"report.csv"}>},
    {"junit", "JUnit's XML, for CI servers", false, false,
     one_file<render_junit, FileName{"report.xml"}>},
    {"classic", "iree_compile.log, iree_compile_report.json and .md, in a folder", false, true,
     render_classic},
};

}  // namespace

std::span<const ReportFormat> report_formats() { return kFormats; }

const ReportFormat* find_report_format(std::string_view name) {
  for (const ReportFormat& format : kFormats)
    if (format.name == name) return &format;
  return nullptr;
}

std::string verdict_in_words(const Attempt& attempt) {
  std::string verdict(to_word(kVerdictWords, attempt.verdict));
  const StageRecord* deciding = attempt.deciding_stage();
  if (!deciding) return verdict;
  std::string stage(to_word(kStageWords, deciding->stage));
  if (!deciding->failure) return fmt::format("{} ({})", verdict, stage);
  return fmt::format("{} ({}: {})", verdict, stage,
                     to_word(kFailureClassWords, *deciding->failure));
}

std::vector<std::pair<std::string, std::string>> provenance(const RunRecord& run) {
  std::vector<std::pair<std::string, std::string>> lines{{"assay", run.assay_version},
                                                         {"created", run.created}};
  if (run.machine.is_object())
    for (const auto& [name, value] : run.machine.items())
      if (!value.is_null())
        lines.emplace_back(name, value.is_string() ? value.get<std::string>() : dump_json(value));
  return lines;
}

}  // namespace assay

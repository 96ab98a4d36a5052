#include "report/format.h"

#include <fmt/format.h>

#include "base/units.h"

namespace assay {
namespace {

constexpr ReportFormat kFormats[] = {
    {"terminal", "a table for a terminal", render_terminal},
    {"md", "Markdown, as written to RUN/report.md", render_markdown},
    {"json", "everything that is stored, as written to RUN/report.json", render_json},
};

}  // namespace

std::span<const ReportFormat> report_formats() { return kFormats; }

const ReportFormat* find_report_format(std::string_view name) {
  for (const ReportFormat& format : kFormats)
    if (format.name == name) return &format;
  return nullptr;
}

std::string stage_time(const Attempt& attempt, Stage stage) {
  for (const StageRecord& record : attempt.stages)
    if (record.stage == stage && record.wall_ns) return format_duration(*record.wall_ns);
  return "-";
}

std::string artifact_size(const Attempt& attempt) {
  for (const ArtifactRecord& artifact : attempt.artifacts)
    if (artifact.name == "artifact.vmfb") return format_bytes(artifact.bytes);
  return "-";
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

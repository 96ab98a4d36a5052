#include <fmt/format.h>

#include "base/escape.h"
#include "report/format.h"

namespace assay {
namespace {

// Text from elsewhere inside a table cell: nothing of it may end the cell or become markup.
std::string cell(const std::string& text) {
  std::string safe;
  for (char c : printable(text, false)) {
    if (std::string_view("|`*_<>[]\\").contains(c)) safe += '\\';
    safe += c;
  }
  return safe;
}

std::string by_level_and_target(const Summary& summary) {
  std::string text = "| level |";
  std::string rule = "| --- |";
  for (const auto& [target, tally] : summary.by_target) {
    text += fmt::format(" {} |", cell(target));
    rule += " --- |";
  }
  text += " all |\n" + rule + " --- |\n";
  auto ratio = [](const Tally& tally) {
    return fmt::format(" {}/{} |", tally.passed(), tally.total);
  };
  for (const auto& [level, tally] : summary.by_level) {
    text += fmt::format("| {} |", cell(level));
    for (const auto& [target, unused] : summary.by_target) {
      auto found = summary.by_level_and_target.find({level, target});
      text += found == summary.by_level_and_target.end() ? " - |" : ratio(found->second);
    }
    text += ratio(tally) + "\n";
  }
  text += "| all |";
  for (const auto& [target, tally] : summary.by_target) text += ratio(tally);
  return text + ratio(summary.all) + "\n";
}

}  // namespace

std::string render_markdown(const ReportInput& input) {
  Summary summary = summarise(input.attempts);
  std::string text = "# assay report\n\n";
  bool action = summary.all.passed() < summary.all.total;
  text += fmt::format("**{}** {}.\n\n", action ? "Action required." : "No action required.",
                      in_words(summary.all));
  text += "Passed, by level and target:\n\n" + by_level_and_target(summary) + "\n";

  text += "## Attempts\n\n";
  text += "| attempt | verdict | export | compile | size |\n| --- | --- | --- | --- | --- |\n";
  for (const Attempt& attempt : input.attempts)
    text += fmt::format("| {} | {} | {} | {} | {} |\n", cell(attempt.id),
                        cell(verdict_in_words(attempt)), stage_time(attempt, Stage::export_),
                        stage_time(attempt, Stage::compile), artifact_size(attempt));

  if (action) {
    text += "\n## What did not pass\n";
    for (const Attempt& attempt : input.attempts) {
      const StageRecord* deciding = attempt.deciding_stage();
      if (!deciding) continue;
      text += fmt::format("\n- **{}**: {}. {}\n\n      {}\n", cell(attempt.id),
                          cell(verdict_in_words(attempt)), cell(deciding->error),
                          printable(attempt.reproduce, false));
    }
  }
  text += "\n## Made with\n\n| | |\n| --- | --- |\n";
  for (const auto& [name, value] : provenance(input.run))
    text += fmt::format("| {} | {} |\n", cell(name), cell(value));
  return text;
}

}  // namespace assay

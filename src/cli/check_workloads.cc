#include "cli/check_workloads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/escape.h"
#include "base/units.h"
#include "cli/option_values.h"
#include "session/look.h"
#include "session/workplace.h"
#include "setup/tools.h"
#include "setup/verify_tools.h"

namespace assay {
namespace {

// One word for a workload: "ok", "flagged", or why it could not be looked at.
std::string outcome_of(const Lint& lint) {
  if (lint.stage.status != StageStatus::ok)
    return std::string(to_word(kStageStatusWords, lint.stage.status));
  return lint.is_flagged() ? "flagged" : "ok";
}

Json to_json(const Workload& workload, const Lint& lint) {
  Json json{{"workload", utf8(workload.selection_path())},
            {"path", utf8(workload.path)},
            {"outcome", outcome_of(lint)},
            {"findings", Json::array()},
            {"weaker", lint.weaker},
            {"seed", lint.seed}};
  for (const LintFinding& finding : lint.findings)
    json["findings"].push_back({{"word", to_word(kFlawWords, finding.kind)},
                                {"flags", finding.flags},
                                {"says", finding.says}});
  if (lint.stage.failure) json["class"] = to_word(kFailureClassWords, *lint.stage.failure);
  if (!lint.stage.error.empty()) json["error"] = utf8(lint.stage.error);
  return json;
}

// One line for each thing there is to say, at least one; what flags nothing is in parentheses.
std::string lines_of(const Workload& workload, const Lint& lint, size_t width) {
  std::string name = printable(workload.selection_path(), false), lines;
  auto line = [&](const std::string& word, const std::string& says) {
    std::string text = fmt::format("{:<{}}  {:<12} {}", name, width, word, printable(says, false));
    lines += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  };
  std::string outcome = outcome_of(lint);
  if (outcome != "flagged") line(outcome, lint.stage.error);
  for (const LintFinding& finding : lint.findings) {
    auto word = to_word(kFlawWords, finding.kind);
    line(finding.flags ? std::string(word) : fmt::format("({})", word), finding.says);
  }
  for (const std::string& weaker : lint.weaker) line("(weaker)", weaker);
  return lines;
}

Result<RunSettings> parse_check_settings(const Arguments& arguments) {
  RunSettings settings;
  auto text = [&](const char* option, const char* otherwise) {
    return arguments.given(option) ? arguments.text(option) : std::string(otherwise);
  };
  ASSAY_ASSIGN(settings.timeout_ns, parse_duration("--timeout", text("--timeout", "5m")));
  ASSAY_ASSIGN(settings.memory_bytes, parse_memory_bytes(text("--memory", "8G")));
  return settings;
}

}  // namespace

Result<int> check_workloads(const Places& places, std::span<const Workload> workloads,
                            const Arguments& arguments, Output& output) {
  ASSAY_ASSIGN(const RunSettings settings, parse_check_settings(arguments));
  ASSAY_ASSIGN(const int jobs, parse_jobs(arguments));
  ASSAY_ASSIGN(PythonDescription python, python_with_torch(places));
  // As strong a jail as there is: what is checked is the user's own, as it is for an export.
  const bool trust = true;
  Tools tools;
  tools.python_environment = python.environment;
  ASSAY_ASSIGN(tools.verify,
               find_verify_tools(system_disk(), this_machine(), places, python, settings, trust));
  ASSAY_ASSIGN(auto place, Workplace::create(tools, CachedLibraries::Use::headers));
  ASSAY_ASSIGN(std::string scratch, make_scratch_folder());
  ASSAY_TRY(place->have_children_in(scratch));
  Events nobody;

  size_t width = 0;
  for (const Workload& workload : workloads)
    width = std::max(width, printable(workload.selection_path(), false).size());
  const bool json = arguments.given("--json");
  std::map<std::string, size_t> outcomes;
  int status = 0;
  ASSAY_TRY(look_at(workloads, settings, static_cast<size_t>(jobs), tools, place->world(nobody),
                    [&](const Workload& workload, const Lint& lint) {
                      ++outcomes[outcome_of(lint)];
                      if (lint.stage.status == StageStatus::not_judged) status = 2;
                      if (lint.is_flagged() && status == 0) status = 1;
                      output.write(json ? dump_json(to_json(workload, lint)) + "\n"
                                        : lines_of(workload, lint, width));
                    }));
  if (json) return status;
  std::vector<std::string> parts;
  for (const auto& [outcome, count] : outcomes)
    parts.push_back(fmt::format("{} {}", count, outcome));
  output.write(
      fmt::format("{}: {}\n", format_count(workloads.size(), "workload"), fmt::join(parts, ", ")));
  return status;
}

}  // namespace assay

// SARIF 2.1.0, as code review reads it: a result for each attempt that is not right, at the line of
// the candidate, or of the problem, that the compiler or a traceback named. Attempts that could not
// be judged say nothing of code, and are left out.
#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "base/escape.h"
#include "report/causes.h"
#include "report/format.h"
#include "report/source_lines.h"
#include "report/user_files.h"

namespace assay {
namespace {

// "verify/precision", "compile/build".
std::string rule_id(const StageRecord& stage) {
  const std::string_view why = !stage.rule.empty() ? std::string_view(stage.rule)
                               : stage.failure     ? to_word(kFailureClassWords, *stage.failure)
                                                   : to_word(kStageStatusWords, stage.status);
  return std::string(to_word(kStageWords, stage.stage)) + "/" + std::string(why);
}

// Relative to where assay was started, as reviews of a repository have it; an address of its own
// for what lies elsewhere.
std::string uri_of(const std::string& path) {
  std::string spelled;
  const auto relative =
      std::filesystem::path(path).lexically_relative(std::filesystem::current_path());
  const bool is_below = !relative.empty() && *relative.begin() != "..";
  for (const char c : is_below ? relative.string() : path) {
    constexpr std::string_view kPlain = "-._~/";  // RFC 3986
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || kPlain.contains(c))
      spelled += c;
    else
      spelled += fmt::format("%{:02X}", byte);
  }
  return is_below ? spelled : "file://" + spelled;
}

Json result_of(const Attempt& attempt, const StageRecord& stage) {
  const std::string candidate = candidate_file(attempt);
  const std::string& path = candidate.empty() ? attempt.path : candidate;
  Json place{{"artifactLocation", {{"uri", uri_of(path)}}}};
  const auto lines = lines_named(attempt, std::filesystem::path(path).filename());
  if (!lines.empty()) place["region"] = {{"startLine", lines.front().line}};
  return {{"ruleId", rule_id(stage)},
          {"level", attempt.verdict == Verdict::unsupported ? "warning" : "error"},
          {"message",
           {{"text", printable(utf8(attempt.id + ": " + verdict_in_words(attempt) + ": " +
                                    stage.error + "\n" + attempt.reproduce),
                               true)}}},
          {"locations", {{{"physicalLocation", std::move(place)}}}},
          {"partialFingerprints", {{"assayAttempt/v1", attempt.id + "#" + rule_id(stage)}}}};
}

}  // namespace

void render_sarif(const ReportInput& input, ReportSink& sink) {
  std::set<std::string> rules;
  Json results = Json::array();
  for (const Attempt& attempt : input.attempts) {
    const StageRecord* stage = attempt.deciding_stage();
    if (!stage || attempt.verdict == Verdict::not_judged) continue;
    rules.insert(rule_id(*stage));
    results.push_back(result_of(attempt, *stage));
  }
  Json described = Json::array();
  for (const std::string& rule : rules)
    described.push_back({{"id", rule}, {"shortDescription", {{"text", rule}}}});
  sink.write(dump_json({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                        {"version", "2.1.0"},
                        {"runs",
                         {{{"tool",
                            {{"driver",
                              {{"name", "assay"},
                               {"version", input.run.assay_version},
                               {"rules", std::move(described)}}}}},
                           {"results", std::move(results)}}}}},
                       1) +
             "\n");
}

}  // namespace assay

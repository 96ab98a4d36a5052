#include "report/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/escape.h"
#include "base/units.h"
#include "report/code_table.h"
#include "report/evidence.h"
#include "report/format.h"
#include "report/measurement.h"
#include "report/profile.h"
#include "report/speed.h"
#include "report/verification.h"

namespace assay {
namespace {

std::string indented(const std::string& text) {
  std::string result = "      ";
  for (char c : printable(text, true)) {
    result += c;
    if (c == '\n') result += "      ";
  }
  result.erase(result.find_last_not_of(" \n") + 1);
  return result + "\n";
}

// Lines that come again and again, as one with how often: a candidate is called many times.
std::string folded(std::string_view text) {
  std::string result, last;
  size_t times = 0;
  auto put = [&] {
    if (times == 0) return;
    result += last + (times > 1 ? fmt::format("  ({} times)", times) : "") + "\n";
  };
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (times == 0 || line != last) {
      put();
      last = line;
      times = 0;
    }
    ++times;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  put();
  return result;
}

std::string show_stage(const StageRecord& stage) {
  std::string text = fmt::format("  {:<8} {}", to_word(kStageWords, stage.stage),
                                 to_word(kStageStatusWords, stage.status));
  if (stage.failure) text += fmt::format(" ({})", to_word(kFailureClassWords, *stage.failure));
  if (!stage.rule.empty()) text += fmt::format(" ({})", stage.rule);
  std::string costs;
  auto add = [&](const std::string& cost) { costs += (costs.empty() ? "" : ", ") + cost; };
  if (stage.wall_ns) add(format_duration(*stage.wall_ns));
  if (stage.cpu_ns) add("CPU " + format_duration(*stage.cpu_ns));
  if (stage.peak_bytes) add("peak memory " + format_bytes(*stage.peak_bytes));
  if (!costs.empty()) text += (stage.reused ? "; took " : "; ") + costs;
  text += "\n";
  if (!stage.reuse.empty()) text += "    " + printable(stage.reuse, false) + "\n";
  if (!stage.error.empty()) text += "    " + printable(stage.error, false) + "\n";
  if (!stage.detail.empty()) text += indented(stage.detail);
  Json evidence = stage.evidence;
  std::string printed;
  if (evidence.is_object() && evidence.contains("printed")) {
    // Of what is not good the detail has it already.
    if (evidence["printed"].is_string() && stage.detail.empty())
      printed = "    it printed\n" + indented(folded(evidence["printed"].get<std::string>()));
    evidence.erase("printed");
  }
  const std::string code = code_in_lines(evidence);
  if (!code.empty()) evidence.erase("code");
  // Beside the dispatches' times, in the verification.
  if (evidence.is_object()) evidence.erase("dispatch_bytes");
  const bool is_verification = stage.stage == Stage::verify || stage.stage == Stage::smoke ||
                               (evidence.is_object() && evidence.contains("check"));
  if (is_verification) return text + verification_in_words(evidence) + printed;
  const bool is_measurement = stage.stage >= Stage::measure;
  return text + (is_measurement ? measurement_in_words(evidence) : evidence_in_words(evidence)) +
         code + printed;
}

// Inputs are drawn again from a seed; without one there were none.
bool can_be_replayed(const Attempt& attempt) {
  return !attempt.seed.empty() && std::ranges::any_of(attempt.stages, [](const StageRecord& stage) {
    return stage.stage == Stage::verify || stage.stage == Stage::smoke;
  });
}

}  // namespace

std::string show_attempt(const Attempt& attempt, const std::string& result_folder,
                         const std::string& run) {
  std::string text = attempt.id + "\n";
  text += fmt::format("  verdict  {}\n", verdict_in_words(attempt));
  if (const std::optional<Fault> fault = fault_of(attempt))
    text += fmt::format("  fault    {}\n", to_word(kFaultWords, *fault));
  text += fmt::format("  workload {}\n", printable(attempt.path, false));
  if (attempt.origin.author.starts_with("file:"))
    text += fmt::format(
        "  candidate {}\n",
        printable(attempt.origin.author.substr(std::string_view("file:").size()), false));
  text += fmt::format("  author   {}, target {}, {}, {}\n", printable(attempt.author, false),
                      printable(attempt.target, false), to_word(kPrecisionWords, attempt.precision),
                      printable(attempt.mode, false));
  text += fmt::format("  finished {}\n", printable(attempt.finished, false));
  if (attempt.replay) {
    text += fmt::format("  replays  {} of {}\n", printable(attempt.replay->attempt, false),
                        printable(attempt.replay->run, false));
    for (const std::string& line : attempt.replay->differs)
      text += "    differs: " + printable(line, false) + "\n";
  }
  text += "stages\n";
  for (const StageRecord& stage : attempt.stages) text += show_stage(stage);
  text += timing_in_words(attempt) + profile_in_words(attempt);
  if (!attempt.artifacts.empty()) text += "files\n";
  for (const ArtifactRecord& artifact : attempt.artifacts)
    text += fmt::format("  {}/{}  {}  sha256 {}\n", result_folder, printable(artifact.name, false),
                        format_bytes(artifact.bytes), artifact.sha256);
  if (can_be_replayed(attempt) && !attempt.replay)
    text += "to replay it, with the inputs it had\n  " + replay_command(run, attempt.id) + "\n";
  text += "to see it again\n  " + printable(attempt.reproduce, false) + "\n";
  return text;
}

}  // namespace assay

#include "report/other_verdict.h"

#include <fmt/format.h>

namespace assay {

std::optional<OtherVerdict> other_verdict(const Attempt& attempt) {
  for (const StageRecord& stage : attempt.stages) {
    if (!stage.evidence.is_object()) continue;
    auto check = stage.evidence.find("check");
    if (check == stage.evidence.end()) continue;
    JsonReader fields(*check, "a check");
    OtherVerdict verdict{.name = fields.text("name"),
                         .correct = std::nullopt,
                         .passed = fields.integer("passed"),
                         .trials = fields.integer("trials"),
                         .why = fields.optional_text("why").value_or("")};
    if (fields.has("correct")) verdict.correct = fields.boolean("correct");
    if (fields.status()) return verdict;
  }
  return std::nullopt;
}

std::string correct_cell(const Attempt& attempt) {
  auto verdict = other_verdict(attempt);
  if (!verdict || !verdict->correct) return "-";
  return *verdict->correct ? "correct" : "wrong";
}

std::string check_name(std::span<const Attempt> attempts) {
  for (const Attempt& attempt : attempts)
    if (auto verdict = other_verdict(attempt)) return verdict->name;
  return "";
}

std::string others_in_words(std::span<const Attempt> attempts) {
  size_t correct = 0, wrong = 0, not_known = 0, correct_and_not = 0, wrong_and_accepted = 0;
  for (const Attempt& attempt : attempts) {
    auto verdict = other_verdict(attempt);
    if (!verdict) continue;
    if (!verdict->correct) {
      ++not_known;
      continue;
    }
    const bool accepted = attempt.verdict == Verdict::accepted;
    (*verdict->correct ? correct : wrong) += 1;
    if (*verdict->correct && !accepted) ++correct_and_not;
    if (!*verdict->correct && accepted) ++wrong_and_accepted;
  }
  if (correct + wrong + not_known == 0) return "";
  const std::string unknown = not_known == 0 ? "" : fmt::format(", {} not known", not_known);
  return fmt::format(
      "{}: {} correct, {} wrong{}; correct and not accepted here {}, wrong and accepted {}",
      check_name(attempts), correct, wrong, unknown, correct_and_not, wrong_and_accepted);
}

}  // namespace assay

#include "report/summary.h"

#include <fmt/format.h>

namespace assay {

Summary summarise(const std::vector<Attempt>& attempts) {
  Summary summary;
  for (const Attempt& attempt : attempts) {
    std::string level = level_name(attempt);
    summary.all.add(attempt.verdict);
    summary.by_target[attempt.target].add(attempt.verdict);
    summary.by_level[level].add(attempt.verdict);
    summary.by_level_and_target[{level, attempt.target}].add(attempt.verdict);
  }
  return summary;
}

std::string level_name(const Attempt& attempt) {
  return attempt.level.empty() ? attempt.suite : attempt.suite + "/" + attempt.level;
}

std::string ratio(const Tally& tally) { return fmt::format("{}/{}", tally.passed(), tally.total); }

std::string percentage(const Tally& tally) {
  if (tally.total == 0) return "-";
  size_t tenths = tally.passed() * 1000 / tally.total;
  if (tenths == 0 && tally.passed() > 0) tenths = 1;
  return fmt::format("{}.{} %", tenths / 10, tenths % 10);
}

std::string in_words(const Tally& tally) {
  std::string text = fmt::format("{} of {} passed", tally.passed(), tally.total);
  const char* separator = ": ";
  for (const auto& [verdict, count] : tally.by_verdict) {
    text += fmt::format("{}{} {}", separator, count, to_word(kVerdictWords, verdict));
    separator = ", ";
  }
  return text;
}

int exit_status(const std::vector<Attempt>& attempts) {
  int status = 0;
  for (const Attempt& attempt : attempts) {
    switch (attempt.verdict) {
      case Verdict::exported:
      case Verdict::compiled:
      case Verdict::accepted:
        break;
      case Verdict::rejected:
      case Verdict::failed:
      case Verdict::unsupported:
        if (status == 0) status = 1;
        break;
      case Verdict::not_judged:
        status = 2;
        break;
    }
  }
  return status;
}

}  // namespace assay

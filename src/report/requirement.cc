#include "report/requirement.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "report/format.h"
#include "report/speed.h"
#include "report/summary.h"

namespace assay {

Result<Requirement> parse_requirement(const std::string& text) {
  if (text == "faster") return Requirement{text, std::nullopt};
  double least = 0;
  const char* end = text.data() + text.size();
  auto [stop, failed] = std::from_chars(text.data(), end, least, std::chars_format::fixed);
  if (failed == std::errc() && stop + 1 == end && *stop == 'x' && std::isfinite(least) && least > 0)
    return Requirement{text, least};
  return error(Code::invalid_input,
               "--require '" + text + "' is neither faster nor a ratio, such as 1.05x");
}

std::string shortfall(const Requirement& requirement, const Attempt& attempt,
                      const Standing& standing) {
  if (attempt.verdict != Verdict::accepted) return "it is " + verdict_in_words(attempt);
  if (!attempt.timing) return is_not_timed(attempt) ? speed_in_words(attempt) : "it was not timed";
  const Speedup& first = attempt.timing->speedups.front();
  const bool is_enough =
      first.outcome != Outcome::undecided && !attempt.timing->provisional &&
      (requirement.least ? first.low >= *requirement.least : first.outcome == Outcome::faster);
  const bool has_to_win = requirement.least.value_or(1) >= 1;
  if (!is_enough || (has_to_win && first.outcome != Outcome::faster))
    return speed_in_words(attempt);
  if (has_to_win && !standing.contains({attempt.id, first.baseline}))
    return speed_in_words(attempt) +
           "; as one of all that were tried in this folder that may be chance: --force measures it "
           "again, as one of them";
  return "";
}

std::string shortfalls_in_words(const Requirement& requirement,
                                const std::vector<Attempt>& attempts, const Standing& standing) {
  std::string lines;
  for (const Attempt& attempt : attempts) {
    if (attempt.deciding_stage()) continue;
    if (std::string why = shortfall(requirement, attempt, standing); !why.empty())
      lines +=
          fmt::format("falls short of --require {}: {}: {}\n", requirement.text, attempt.id, why);
  }
  return lines;
}

int exit_status(const std::vector<Attempt>& attempts, const Requirement& requirement,
                const Standing& standing) {
  const int status = exit_status(attempts);
  if (status != 0) return status;
  return std::ranges::any_of(attempts,
                             [&](const Attempt& attempt) {
                               return !shortfall(requirement, attempt, standing).empty();
                             })
             ? 1
             : 0;
}

}  // namespace assay

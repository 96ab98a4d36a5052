#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "measure/resolution_file.h"
#include "model/attempt.h"
#include "model/run_record.h"
#include "model/search_record.h"

namespace assay {

class RunReader;
struct Chart;

// What a report that is whole in one file has of each attempt beside its row.
enum class Embed {
  none,
  usual,  // all evidence, and the sources of what did not pass or is faster, up to a limit
  all,    // and all sources
};
inline constexpr Word<Embed> kEmbedWords[] = {
    {Embed::none, "none"}, {Embed::usual, "usual"}, {Embed::all, "all"}};

// What a report is made of: rows of the store, and what a format asks a reader for beside them.
struct ReportInput {
  std::string folder;
  RunRecord run;
  std::vector<Attempt> attempts;
  // Tabulate attempts that passed, too, in a format that otherwise leaves them out.
  bool all = false;
  // What else the run has of attempts; null: nothing is asked for.
  RunReader* reader = nullptr;
  Embed embed = Embed::usual;
  std::string_view picture_file{};  // beside the report, of its speed-ups; "": there is none
  const Chart* chart = nullptr;     // of `--format svg`; null: the first that has something to draw
  size_t columns = 0;               // that a terminal has; 0: lines may be as long as they are
  SearchRecord search{};            // of a run of `assay write`
  std::vector<size_t> ks{};         // of pass@k and best@k; none: the usual ones
  // Of formats that have room for them: columns before all others.
  std::vector<std::pair<std::string, std::string>> tags{};
  // Of formats that ask for it (Format::asks_what_runs): for targets, as --on takes them, why this
  // machine cannot run their code. Others it can, or nobody knows.
  std::map<std::string, std::string> not_here{};
  // For the page: how small a difference this machine decides, and how often assay errs.
  std::optional<KeptResolution> resolution{};
  Json error_rates{};
};

// How many of a set of attempts got which verdict. Every attempt stays in the denominator.
struct Tally {
  size_t total = 0;
  std::map<Verdict, size_t> by_verdict;

  void add(Verdict verdict) {
    ++total;
    ++by_verdict[verdict];
  }
  size_t count(Verdict verdict) const {
    auto found = by_verdict.find(verdict);
    return found == by_verdict.end() ? 0 : found->second;
  }
  // Compiled or accepted: what an attempt hopes for.
  size_t passed() const {
    return count(Verdict::exported) + count(Verdict::compiled) + count(Verdict::accepted);
  }
};

struct Summary {
  Tally all;
  std::map<std::string, Tally> by_target;
  std::map<std::string, Tally> by_level;  // "suite/level", or "suite" without levels
  std::map<std::pair<std::string, std::string>, Tally> by_level_and_target;
};

Summary summarise(const std::vector<Attempt>& attempts);

// The key of by_level: "suite/level", or "suite" where there are no levels.
std::string level_name(const Attempt& attempt);

// "9/10".
std::string ratio(const Tally& tally);
// "90.0 %", never rounded up to all or down to none.
std::string percentage(const Tally& tally);

// "9 of 10 passed: 9 compiled, 1 failed".
std::string in_words(const Tally& tally);

// The exit status that a set of attempts deserves (docs/manual.md): 0 all passed, 1 any rejected,
// failed or unsupported, 2 any that could not be judged.
int exit_status(const std::vector<Attempt>& attempts);

}  // namespace assay

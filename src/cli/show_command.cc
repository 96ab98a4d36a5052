#include <fmt/format.h>

#include "base/words.h"
#include "cli/command.h"
#include "cli/open_run.h"
#include "cli/output.h"
#include "report/format.h"
#include "report/show.h"
#include "report/summary.h"

namespace assay {
namespace {

// An exact id wins; else the only one that contains `part`.
Result<std::string> resolve_attempt(RunStore& store, const std::string& part) {
  ASSAY_ASSIGN(auto known, store.known());
  if (known.contains(part)) return part;
  std::vector<std::string> ids, matching;
  for (const auto& [id, unused] : known) {
    ids.push_back(id);
    if (id.contains(part)) matching.push_back(id);
  }
  if (matching.size() == 1) return matching[0];
  if (matching.empty()) {
    constexpr size_t kMostToSearch = 10'000;  // a guess is not worth waiting for
    std::string meant = ids.size() <= kMostToSearch ? did_you_mean(part, ids) : "";
    return error(Code::not_found,
                 fmt::format("no attempt in this run has '{}' in its id{}", part, meant),
                 fmt::format("`assay show {} --all` lists them", store.folder()));
  }
  std::string list;
  for (size_t i = 0; i < matching.size() && i < 10; ++i) list += "\n    " + matching[i];
  return error(Code::invalid_input,
               fmt::format("{} attempts have '{}' in their id:{}{}", matching.size(), part, list,
                           matching.size() > 10 ? "\n    ..." : ""),
               "name one of them");
}

// Of thousands of attempts those are wanted that did not pass.
void write_attempts(const std::vector<Attempt>& attempts, bool all, Output& output) {
  output.write("\n");
  size_t listed = 0;
  for (const Attempt& attempt : attempts) {
    if (!all && !attempt.deciding_stage()) continue;
    output.write(fmt::format("{}  {}\n", attempt.id, verdict_in_words(attempt)));
    ++listed;
  }
  if (listed > 0) output.write("\n");
  output.write(in_words(summarise(attempts).all));
  output.write(listed < attempts.size() ? "; --all lists those, too\n" : "\n");
}

}  // namespace

Result<int> show_command(const Arguments& arguments, Output& output) {
  std::string folder = arguments.positional("RUN").front();
  ASSAY_ASSIGN(RunStore store, open_run(folder));
  if (arguments.positional("ATTEMPT").empty()) {
    ASSAY_ASSIGN(auto attempts, store.attempts(false));
    for (const auto& [name, value] : provenance(store.record()))
      output.write(fmt::format("{:<18} {}\n", name, value));
    write_attempts(attempts, arguments.given("--all"), output);
    return 0;
  }
  ASSAY_ASSIGN(std::string id, resolve_attempt(store, arguments.positional("ATTEMPT").front()));
  ASSAY_ASSIGN(auto attempt, store.find(id));
  if (!attempt) return error(Code::not_found, "attempt '" + id + "' is gone");
  output.write(show_attempt(*attempt, store.result_folder(id)));
  return 0;
}

}  // namespace assay

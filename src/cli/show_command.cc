#include <fmt/format.h>

#include "cli/command.h"
#include "cli/dump.h"
#include "cli/find_attempt.h"
#include "cli/open_run.h"
#include "cli/output.h"
#include "report/format.h"
#include "report/show.h"
#include "report/show_answer.h"
#include "report/summary.h"
#include "report/windows.h"

namespace assay {
namespace {

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

Status write_windows(RunStore& store, const Attempt& attempt, Output& output) {
  ASSAY_ASSIGN(auto windows, store.windows(attempt.id));
  if (windows.empty())
    return error(Code::not_found,
                 attempt.id + " has no windows: it was not timed, or ended in its first launch",
                 "`assay run --against AUTHOR` times what is accepted");
  output.write(windows_table(attempt, windows));
  return {};
}

}  // namespace

Result<int> show_command(const Arguments& arguments, Output& output) {
  std::string folder = arguments.positional("RUN").front();
  ASSAY_ASSIGN(RunStore store, open_run(folder));
  if (arguments.positional("ATTEMPT").empty()) {
    if (arguments.given("--dump"))
      return error(Code::invalid_input, "--dump writes what one attempt had, and none is named",
                   "name it: assay show " + folder + " ATTEMPT --dump DIR");
    if (arguments.given("--windows"))
      return error(Code::invalid_input, "--windows lists those of one attempt, and none is named",
                   "name it: assay show " + folder + " ATTEMPT --windows");
    ASSAY_ASSIGN(auto attempts, store.attempts(false));
    for (const auto& [name, value] : provenance(store.record(), attempts))
      output.write(fmt::format("{:<18} {}\n", name, value));
    write_attempts(attempts, arguments.given("--all"), output);
    return 0;
  }
  if (arguments.given("--all"))
    return error(Code::invalid_input, "--all lists a run's attempts, and one is named",
                 "leave out one of them");
  ASSAY_ASSIGN(Attempt attempt, find_attempt(store, arguments.positional("ATTEMPT").front()));
  if (arguments.given("--windows")) {
    ASSAY_TRY(write_windows(store, attempt, output));
    return 0;
  }
  if (arguments.given("--dump")) {
    ASSAY_TRY(dump_mismatch(store, folder, attempt, arguments.text("--dump"), output));
    return 0;
  }
  ASSAY_ASSIGN(SearchRecord search, store.search().record());
  output.write(show_attempt(attempt, store.result_folder(attempt.id), absolute_path(folder)));
  output.write(show_answer(search, attempt));
  return 0;
}

}  // namespace assay

// What can be typed of `assay tune`.
#include "base/rows.h"
#include "base/words.h"
#include "cli/rows.h"
#include "cli/shared_options.h"
#include "model/words.h"
#include "tune/searcher.h"

namespace assay {

Command tune_row() {
  return {
      "tune",
      "search how the IREE compiler lowers an operation fastest",
      "Has IREE lower each operation by configurations of a space: tiles, pipelines, flags. Code "
      "that "
      "others have already is not run again, and nothing is timed that was not verified. The "
      "fastest eight are timed in turn with the compiler's own choice, and the best of these is "
      "judged against that, on launches of its own.\n\n"
      "What is faster by more than 1 % goes into tuned.toml in the run's folder, for `assay run "
      "--tuned`, and into tuned/NAME.mlir, which iree-compile takes. The same command again goes "
      "on; a larger --spend continues a search that has ended.\n\n"
      "Code for a target that does not run here is not timed: its configurations are compiled, and "
      "the report compares what their code takes.",
      {{"PATH...", "operations or problems, as for `assay run`"}},
      in_groups(
          {{"What", {kFilter, kSkip, kIds, kSample, kLimit, kMode, kPrecision}},
           {"Search",
            {{"--search", "STRATEGY", "guided", one_of(names_of(searchers()))},
             {"--configs", "SET,...", "cpu_space,gpu_space",
              "the space to search: sets that come with assay, or files"},
             {"--spend", "LIMIT", "10m", "stop there: a time, of which the search has six tenths"},
             {"--seed", "N", "1", "of what is drawn: another one searches in another order"}}},
           {"Where",
            {{"--on", "TARGET,...", "local", "what to tune for"},
             {"--out", "RUN", "", "the run's folder; without it runs/NAME of the first path"}}},
           kVerifying,
           {"Timing", {kBudget, kCache}},
           {"Limits",
            {{"--jobs", "N", "", "children at work at once; without it one per usable core"},
             kTimeout,
             kMemory}},
           {"The command itself",
            {{"--dry-run", "", "", "print the sizes of the spaces, and do nothing"},
             kWatch,
             kQuiet,
             kJson}}}),
      {"for each operation something is faster", "nothing is faster for some",
       "something could not be judged here"},
      {{"assay tune 'op:matmul[m=512]' --spend 10m", "a product on this machine's CPU"},
       {"assay tune 'op:matmul[m=512]' --spend 30m", "the same search, continued"},
       {"assay tune softmax.py --configs mine.toml --search grid",
        "a problem of a file, with all configurations of a set of your own"}},
      tune_command};
}

}  // namespace assay

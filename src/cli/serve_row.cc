// What can be typed of `assay serve`.
#include <fmt/format.h>

#include "author/author.h"
#include "author/gpu_code.h"
#include "base/words.h"
#include "cli/rows.h"
#include "cli/shared_options.h"

namespace assay {

Command serve_row() {
  return {
      "serve",
      "judge candidates as they come: JSON lines, or tools for an agent",
      "With --stdio it reads requests, one JSON object a line, each with a candidate and its "
      "problem. It writes a line for each as soon as it is judged, in the order in which they end. "
      "The options say what holds where a request does not; none may ask for more time or memory "
      "than they allow.\n\n"
      "With --mcp it is a server of the Model Context Protocol, for an agent that writes kernels. "
      "The agent names problems by their ids, and has candidates checked, timed and judged by "
      "tools. Only what it submits counts.\n\n"
      "Ends when its input ends and all is answered. Nothing is stored.",
      {{"PATH...", "with --mcp: the problems, as for `assay run`", false}},
      in_groups(
          {{"What",
            {{"--stdio", "", "", "requests from standard input, verdicts to standard output"},
             {"--mcp", "", "", "tools of the Model Context Protocol, over the same two"},
             kFilter,
             kSkip,
             kIds,
             kSample,
             kLimit,
             {"--mode", "MODE", "eval", "what models are put into: " + one_of(mode_words())},
             kPrecision}},
           {"Where",
            {{"--on", "TARGET,...", "local",
              "what requests may be for, the first if they do not say: this machine's CPU, and "
              "GPUs, for code in " +
                  gpu_languages() + "; with --mcp one"}}},
           kVerifying,
           {"Timing",
            {{"--against", "AUTHOR,...", "",
              fmt::format("time what is right against these: {}. Nothing else of this assay runs "
                          "meanwhile",
                          one_of(names_of_authors(&AuthorType::runs_own_model)))},
             kQuickly,
             kBudget,
             kCache}},
           {"Limits",
            {kAllow,
             {"--spend", "LIMIT", "", "with --mcp: judge no more than that: 200-calls,2h"},
             {"--jobs", "N", "", "candidates at once; without it one per usable core"},
             {"--timeout", "TIME", "5m", "what each call and each build may take"},
             kMemory}}}),
      {"everything was answered", "", "nobody reads what it says"},
      {{"assay serve --stdio", "verify what comes"},
       {"assay serve --stdio --against eager --quick",
        "verify, and take a provisional look at the speed"},
       {"assay serve --mcp problems --against eager --spend 200-calls",
        "what an agent's configuration calls"}},
      serve_command};
}

}  // namespace assay

#include <iterator>

#include "cli/command.h"
#include "model/words.h"

namespace assay {
namespace {

// What several commands say in the same words.
constexpr Option kFilter{"--filter", "GLOB,...", "",
                         "only what matches one of these: a name, or the end of a path, whole. * "
                         "stands for any characters, / included, ? for one, [ab] for one of a set"};
constexpr Option kSkip{"--skip", "GLOB,...", "", "leave out what matches one of these"};
constexpr Option kPolicy{"--policy", "NAME", "",
                         "say beside each verdict what another check would say: kernelbench, or "
                         "the path of a policy's file"};
constexpr Option kSanitize{"--sanitize", "", "",
                           "run kernels in C and C++ also with AddressSanitizer and "
                           "ThreadSanitizer, and reject what they find"};
constexpr Option kThreads{"--threads", "N", "1", "what a candidate may use"};
constexpr Option kRequireIsolation{
    "--require-isolation", "LEVEL", "",
    "run candidates in no weaker jail than L1 (landlock and a filter of system calls), L2 "
    "(namespaces, too) or L3 (control groups and a user of its own, too); `assay doctor` shows "
    "this machine's"};
constexpr Option kMemory{"--memory", "SIZE", "8G",
                         "what each process at work may take, beyond what it starts with"};
constexpr Option kQuick{
    "--quick", "", "",
    "time with two launches, seconds: enough for large differences alone, and provisional"};
constexpr Option kBudget{
    "--budget", "TIME", "",
    "what timing one attempt may take, once its first processes are ready; without it 60s, with "
    "--quick 5s"};
constexpr Option kCache{"--cache", "MODE", "",
                        "where inputs are when a window opens: hot, in caches; cold, in none; "
                        "stream, in windows that no "
                        "cache holds; without it hot"};
constexpr Option kRequire{
    "--require", "SPEED", "",
    "exit with 1 where an attempt is not as fast: faster, or a ratio that the whole interval has "
    "to "
    "reach, 1.05x; against the first baseline. What is undecided or provisional is not enough"};
constexpr Option kTrust{"--trust", "", "", "run candidates even where there is no jail for them"};

const std::vector<Command>& table() {
  static const std::vector<Command> commands{
      {"run",
       "take problems through export, compile and verify, and time them, for every author and "
       "target",
       "Takes each problem (a KernelBench-format Python file: Model, get_inputs(), optional "
       "get_init_inputs()) through the stages, for every author and target, and stores what came "
       "of it. With --against what is accepted is timed, too. Ends by writing report.md and "
       "report.json into the run's folder.\n\n"
       "The same command again continues: what is in the folder is not computed again, and what "
       "another run computed comes from the cache. A setting that differs from the one the folder "
       "was made with is refused.\n\n"
       "Exit status: 0 every attempt passed; 1 any was rejected, failed or is unsupported; 2 any "
       "could not be judged here, or assay could not work; 130 interrupted. With --require also 1 "
       "where "
       "one falls short.",
       {{"PATH...",
         "a problem's file, a folder of them, a folder of levels, the name of a suite that comes "
         "with assay, or an operation, op:NAME[KEY=VALUE,...]; with --again one attempt"}},
       {{"--by", "AUTHOR,...", "iree",
         "who makes the implementations: iree, eager, inductor, or file:PATH for your own, in "
         "Python, C or "
         "C++, or built"},
        {"--on", "TARGET,...", "local", "what to compile for: names, or paths of target files"},
        {"--again", "RUN", "",
         "replay an attempt of that run: PATH is its id, or a part of it as for `assay show`. With "
         "the same problem, candidate, target, settings and seed; the record says what differs"},
        {"--until", "STAGE", "",
         "the last stage to take: compile or verify; without it as far as each attempt can go "
         "here"},
        {"--out", "RUN", "", "the run's folder; without it runs/NAME of the first path"},
        kFilter,
        kSkip,
        {"--limit", "N", "", "only the first N problems of what is left"},
        {"--mode", "MODE", "eval", "what the model is put into before export: eval or train"},
        {"--precision", "TYPE", "",
         "f32, f16, bf16 or f64, for model and inputs; without it each target's own"},
        {"--flag", "FLAG...", "",
         "another flag for the compiler, in place of a target's of the same name; can be repeated"},
        {"--debug-info", "", "",
         "keep symbols and source locations in artifacts; then their bytes depend on more than "
         "the program"},
        {"--phases", "", "", "keep what the program was after each phase of the compiler"},
        {"--weights", "", "",
         "draw each model's parameters into an archive, weights.irpa, that its targets share"},
        {"--compiler", "KIND", "library",
         "library, or tool: start iree-compile for each target; both give the same bytes"},
        {"--iree", "PATH", "", "a build of IREE of your own: its folder, or the compiler's file"},
        kPolicy,
        kSanitize,
        kThreads,
        {"--against", "AUTHOR,...", "",
         "time what is right against these: eager, inductor, iree, file:PATH. The first one's "
         "speed-up is the attempt's outcome"},
        kQuick,
        kBudget,
        kCache,
        kRequire,
        kRequireIsolation,
        kTrust,
        {"--jobs", "N", "", "children at work at once; without it one per usable core"},
        {"--timeout", "TIME", "5m", "what each stage of an attempt may take"},
        kMemory,
        {"--dry-run", "", "", "print the attempts that are planned, and do nothing"},
        {"--force", "", "", "compute everything again and replace what is stored"},
        {"--quiet", "", "", "print nothing but errors"},
        {"--json", "", "", "print events as JSON, one per line"}},
       run_command},
      {"list",
       "what could be run: workloads, operations, authors, targets",
       "Lists what there is, or with a NAME shows one of them whole. For workloads a NAME is a "
       "path, a suite that comes with assay, or an operation, op:NAME[KEY=VALUE,...].\n\n"
       "With --check workloads are computed, again and again with other inputs and parameters, and "
       "those that prove nothing are flagged, with why.\n\n"
       "Exit status: 0 all is well; 1 --check flagged something; 2 --check could not look at "
       "something, or assay could not work; 130 interrupted.",
       {{"KIND", "workloads, ops, authors, targets or rules"}, {"NAME", "the one to show", false}},
       {kFilter,
        kSkip,
        {"--limit", "N", "", "only the first N workloads of what is left"},
        {"--check", "", "", "flag workloads that prove nothing"},
        {"--jobs", "N", "",
         "with --check: children at work at once; without it one per usable core"},
        {"--timeout", "TIME", "", "with --check: what each computation may take; without it 5m"},
        {"--memory", "SIZE", "",
         "with --check: what each process at work may take, beyond what it starts with; without it "
         "8G"},
        {"--json", "", "", "with --check: what was found as JSON, one workload per line"}},
       list_command},
      {"show",
       "all that is known about a run, or about one attempt",
       "Without an ATTEMPT: the run's attempts that did not pass, and why. With one: why it got "
       "this "
       "verdict, and for a rejected one where and by how much it was wrong; the command that "
       "replays "
       "it; what each stage cost, why its results were or were not reused, where its files "
       "are. An ATTEMPT is an id, the end of one from a / on, or any part of one, if only one "
       "attempt "
       "has that.",
       {{"RUN", "a run's folder"}, {"ATTEMPT", "an attempt's id, or a unique part of it", false}},
       {{"--all", "", "", "without an ATTEMPT: those that passed, too"},
        {"--windows", "", "",
         "with an ATTEMPT that was timed: its windows alone, a line each, in nanoseconds"}},
       show_command},
      {"serve",
       "judge candidates as they come, one JSON line each",
       "Reads requests, a candidate and its problem each, one JSON object a line, and writes a "
       "line "
       "for each as soon as it is judged, in the order in which they end. What a request has not "
       "said is as the options say; none may ask for more time or memory than they allow. Ends "
       "when its input ends and all is said. Nothing is stored.\n\n"
       "Exit status: 0 everything was answered; 2 assay could not work, or nobody reads what it "
       "says; 130 interrupted.",
       {},
       {{"--stdio", "", "", "requests from standard input, verdicts to standard output"},
        {"--on", "TARGET,...", "local",
         "what requests may be for, the first if they do not say: this machine's CPU, and GPUs "
         "that Triton, CUDA and HIP are compiled for"},
        {"--mode", "MODE", "eval", "what models are put into: eval or train"},
        {"--precision", "TYPE", "",
         "f32, f16, bf16 or f64, for model and inputs; without it each target's own"},
        kPolicy,
        kSanitize,
        kThreads,
        {"--against", "AUTHOR,...", "",
         "time what is right against these: eager, inductor. Nothing else of this assay runs "
         "meanwhile"},
        kQuick,
        kBudget,
        kCache,
        kRequireIsolation,
        kTrust,
        {"--jobs", "N", "", "candidates at once; without it one per usable core"},
        {"--timeout", "TIME", "5m", "what each call and each build may take"},
        kMemory},
       serve_command},
      {"report",
       "render a run",
       "Renders what a run's folder holds, also while the run goes on: what passed at which level "
       "for which target, why the rest did not, and each attempt.\n\n"
       "One file goes to standard output, or to --to. The format classic makes several, which go "
       "into the folder --to, or into the run's. --filter and --skip look at attempts' ids.\n\n"
       "Exit status: 0 it is written; with --require that of `assay run`; 2 assay could not work.",
       {{"RUN", "a run's folder"}},
       {{"--format", "FORMAT", "terminal",
         "terminal, md, json, jsonl, csv, junit, kernelbench or classic"},
        {"--to", "PATH", "", "write there: a file, or a folder"},
        {"--all", "", "", "for the terminal: a table of all attempts and their costs, too"},
        kRequire,
        kFilter,
        kSkip},
       report_command},
      {"compare",
       "what changed from one run to another",
       "Compares the verdicts of the attempts that two runs have in common: what is broken, fixed, "
       "or fails otherwise than before, and with what the runs were made where that differs. "
       "Ratios of artifact sizes and compile times are shown to know where to look, and decide "
       "nothing. What was timed in both is faster, slower, the same or undecided, by its speed-ups "
       "against one baseline, with Holm's correction over all attempts.\n\n"
       "Exit status: 0 nothing is broken or known to be slower; 1 something passed in A and not in "
       "B, or is slower; 2 something passed in A and could not be judged in B, or was timed in A "
       "alone, or the runs cannot be compared.",
       {{"RUN_A", "the folder of the run before"}, {"RUN_B", "and of the run after"}},
       {{"--format", "FORMAT", "terminal", "terminal, md, json or junit"}, kFilter, kSkip},
       compare_command},
      {"merge",
       "put several runs into one",
       "Makes one run of several that were made apart: shards of one grid, each with its own "
       "problems, authors or targets. They must have the same settings and be of the same assay. "
       "Attempts, what they were timed in, and their files come along, files as links where that "
       "is "
       "possible. An attempt that two of them have must be the same in both. The new run appears "
       "whole, or not at all, and the others stay as they are.\n\n"
       "Exit status: 0 it is there; 2 it could not be made.",
       {{"RUN...", "the folders of the runs"}},
       {{"--out", "RUN", "", "the new run's folder"}},
       merge_command},
      {"completion",
       "complete assay's words in a shell",
       "Prints a script that makes a shell complete commands, options, targets, formats, runs and "
       "attempts. For bash: source <(assay completion bash). For zsh: source <(assay completion "
       "zsh). For fish: assay completion fish | source.",
       {{"SHELL", "bash, zsh or fish"},
        {"WORD...", "for the scripts: with `words` as the SHELL, what was typed so far", false}},
       {},
       completion_command},
      {"doctor",
       "check this machine, and say what mends it",
       "Looks for everything assay needs, tries it out, and prints for each what was found, or "
       "the command that mends it. Each option does one thing alone.\n\n"
       "Exit status: 0 all is well; 2 something is missing, or could not be mended.",
       {},
       {{"--timing", "", "",
         "try, in seconds, what a window costs and how small a difference in speed is decided "
         "here"},
        {"--fix", "", "",
         "set what makes timing scatter as it should be, as root: governors, huge pages, boost; "
         "and "
         "say how to undo it"},
        {"--calibrate", "", "",
         "measure, in seconds, what this machine can do at most: operations and bytes a second"}},
       doctor_command},
  };
  return commands;
}

}  // namespace

std::span<const Command> commands() { return table(); }

std::vector<std::string> until_words() { return {"compile", "verify"}; }
std::vector<std::string> mode_words() { return {std::begin(kModeWords), std::end(kModeWords)}; }

const Command* find_command(std::string_view name) {
  for (const Command& command : table())
    if (command.name == name) return &command;
  return nullptr;
}

}  // namespace assay

#include <fmt/format.h>

#include "author/author.h"
#include "author/gpu_code.h"
#include "base/disk.h"
#include "base/rows.h"
#include "base/words.h"
#include "cli/command.h"
#include "cli/list_kinds.h"
#include "cli/rows.h"
#include "cli/shared_options.h"
#include "model/words.h"
#include "report/chart.h"
#include "report/format.h"
#include "workload/source.h"

namespace assay {
namespace {

// What a PATH can be, for all sources.
std::string workloads_in_words() {
  std::string files, others;
  for (const Source& source : sources())
    if (source.is_on_disk)
      files = source.title;
    else
      others += fmt::format("; {}, {}", source.name, source.title);
  return files + "; the name of a suite that comes with assay" + others;
}

const std::vector<Command>& table() {
  static const std::vector<Command> commands{
      {"run",
       "take problems through export, compile and verify, and time them, for every author and "
       "target",
       "Takes each problem (a KernelBench-format Python file: Model, get_inputs(), optional "
       "get_init_inputs()) through the stages, for every author and target, and stores the "
       "results. "
       "With --against, what is right is timed, too. At the end it writes report.md and "
       "report.json "
       "into the run's folder.\n\n"
       "The same command again continues. What is in the folder is not computed again, and what "
       "another run computed comes from the cache. A setting that differs from the folder's is "
       "refused.",
       {{"PATH...", workloads_in_words() + "; with --again one attempt"}},
       in_groups(
           {{"What",
             {kFilter,
              kSkip,
              kIds,
              kSample,
              kLimit,
              kMode,
              kPrecision,
              {"--load-weights", "DIR", "",
               "load models with the weights in that folder, model.safetensors or its shards: "
               "names and shapes are those of the model's state_dict"},
              {"--tests", "FOLDER", "",
               "of kernels with tests: those of FOLDER/NAME.py in the place of NAME's own"},
              {"--until", "STAGE", "",
               fmt::format(
                   "the last stage to take: {}; without it as far as each attempt can go here",
                   one_of(until_words()))},
              {"--again", "RUN", "",
               "replay an attempt of that run: PATH is its id, or a part of it as for `assay "
               "show`. With the same problem, candidate, target, settings and seed; the record "
               "says what differs"}}},
            {"Who",
             {{"--by", "AUTHOR,...", default_author().name,
               fmt::format("who makes the implementations: {}; `assay list authors` says what each "
                           "is",
                           one_of(names_of(author_types())))},
              {"--configs", "SET,...", "",
               "have IREE lower operations by configurations, each an author iree@NAME: sets that "
               "come with assay, all of these, files, or default, the compiler's own choice; "
               "`assay list configs` says what there is"},
              {"--tuned", "FILE", "",
               "have IREE lower operations as `assay tune` found best, for each problem and "
               "target: by the author iree@tuned"}}},
            {"Where",
             {{"--on", "TARGET,...", "local",
               "what to compile for: names, or paths of target files"},
              {"--emulate", "", "",
               "verify what is compiled for another CPU, by QEMU, and for Vulkan, by lavapipe"},
              {"--out", "RUN", "", "the run's folder; without it runs/NAME of the first path"}}},
            {"Compiling",
             {{"--flag", "FLAG...", "",
               "another flag for the compiler, in place of a target's of the same name; can be "
               "repeated"},
              {"--debug-info", "", "",
               "keep symbols and source locations in artifacts; then their bytes depend on more "
               "than the program"},
              {"--phases", "", "", "keep what the program was after each phase of the compiler"},
              {"--save-cmds", "", "",
               "write commands.sh into the run's folder: what calls IREE's own tools for each "
               "artifact"},
              {"--weights", "", "",
               "draw each model's parameters into an archive, weights.irpa, that its targets "
               "share"},
              {"--compiler", "KIND", "library",
               "library, or tool: start iree-compile for each target; both give the same bytes"},
              {"--iree", "PATH", "",
               "a build of IREE of your own: its folder, or the compiler's file"}}},
            kVerifying,
            {"Looking closer",
             {{"--trace", "", "",
               "write trace.json into each attempt's folder: what ran when, and with --counters "
               "one call by its parts, for ui.perfetto.dev"},
              {"--track-memory", "", "",
               "write memory.csv into each attempt's folder: how much its processes hold, every "
               "20 ms but while something is timed"}}},
            {"Timing",
             {{"--against", "AUTHOR,...", "",
               fmt::format("time what is right against these: {}. The first one's speed-up is the "
                           "attempt's outcome",
                           one_of(names_of(author_types())))},
              {"--profile", "", "",
               "say how long a call of what is right takes, by one launch, held against nothing: "
               "provisional, for thousands of attempts"},
              kQuickly,
              kBudget,
              kCache,
              kRequire}},
            {"Limits",
             {{"--jobs", "N", "", "children at work at once; without it one per usable core"},
              kTimeout,
              kMemory}},
            {"The command itself",
             {{"--dry-run", "", "", "print the attempts that are planned, and do nothing"},
              {"--force", "", "", "compute everything again and replace what is stored"},
              kWatch,
              kQuiet,
              kJson}}}),
       {"every attempt passed",
        "any was rejected, failed or is unsupported, or with --require falls short",
        "any could not be judged here"},
       {{"assay run tour --on local,a100",
         "compile the bundled suite for two targets, and verify what runs here"},
        {"assay run problem.py --by file:kernel.c", "verify a kernel of yours"},
        {"assay run problem.py --by file:kernel.c --against eager",
         "the same, and say how fast it is beside torch"},
        {"assay run problems --by file:mine --against eager --require 1.05x",
         "a folder of kernels, as a gate: exits with 1 unless all are at least 5 % faster"},
        {"assay run 'op:matmul[m=2^6:2^8]' --by eager,iree",
         "products that assay generates, of three sizes"},
        {"assay run 'op:matmul[m=2^6:2^8]' --profile",
         "the same by IREE, verified, with the time and the rates of each"},
        {"assay run 'op:matmul[m=512]' --tuned runs/op/tuned.toml --against iree",
         "by what `assay tune` found, beside the compiler's own choice"},
        {"assay run --again runs/problems softmax",
         "replay one attempt, with the inputs that it had"}},
       run_command},
      tune_row(),
      write_row(),
      grade_row(),
      watch_row(),
      {"list",
       "what there is, and what of it can be run here",
       "Lists what there is, or with a NAME shows one of them whole. For workloads a NAME is what "
       "`assay run` takes as a PATH.\n\n"
       "With --check workloads are computed again and again, with other inputs and parameters. "
       "Those "
       "that prove nothing are flagged, with why. Providers of models that are set up here are "
       "asked whether they answer.",
       {{"KIND", one_of(names_of(list_kinds()))}, {"NAME", "the one to show", false}},
       in_groups(
           {{"What",
             {kFilter,
              kSkip,
              kSample,
              {"--limit", "N", "", "only the first N workloads of what is left"}}},
            {"Checking",
             {{"--check", "", "",
               "flag workloads that prove nothing, or providers that do not answer"},
              {"--json", "", "", "with --check: what was found as JSON, one workload per line"}}},
            {"Limits",
             {{"--jobs", "N", "",
               "with --check: children at work at once; without it one per usable core"},
              {"--timeout", "TIME", "",
               "with --check: what each computation may take; without it 5m"},
              {"--memory", "SIZE", "",
               "with --check: what each process at work may take, beyond what it starts with; "
               "without it 8G"}}}}),
       {"all is well", "--check flagged something", "--check could not look at something"},
       {{"assay list targets", "what can be compiled for, and what of it runs here"},
        {"assay list targets a100", "one of them whole"},
        {"assay list workloads problems --check", "which problems a worthless kernel would solve"}},
       list_command},
      {"show",
       "all that is known about a run, or about one attempt",
       "Without an ATTEMPT: the run's attempts that did not pass, and why. With one: its verdict "
       "and "
       "the evidence, the command that replays it, what each stage cost, why its results were or "
       "were "
       "not reused, and where its files are. Of a rejected attempt it shows where and by how much "
       "it "
       "was wrong. An ATTEMPT is an id, or the end of one from a / on, or any part of one that no "
       "other has.",
       {{"RUN", "a run's folder"}, {"ATTEMPT", "an attempt's id, or a unique part of it", false}},
       in_groups({{"What",
                   {{"--all", "", "", "without an ATTEMPT: those that passed, too"},
                    {"--windows", "", "",
                     "with an ATTEMPT that was timed: its windows alone, a line each, in "
                     "nanoseconds"},
                    {"--dump", "DIR", "",
                     "with an ATTEMPT that verify did not accept: replay it, and write inputs, "
                     "results and what was expected of the round that decided into this folder, as "
                     ".npy files"}}}}),
       {"it is shown, or written", "", ""},
       {{"assay show runs/problems", "what did not pass, and why"},
        {"assay show runs/problems local/softmax",
         "one attempt: its verdict, the evidence, and how to see it again"},
        {"assay show runs/problems softmax/mine --dump numbers",
         "the numbers of its mismatch, for numpy"}},
       show_command},
      {"phases",
       "what IREE's compiler makes of an attempt's program, step by step",
       "Compiles what was exported once more, by IREE's own tool, and shows the program after each "
       "phase: how long it took, how large it is, and which operations are in it. It works for "
       "what does not compile, too, up to where the compiler stops. Nothing in the run changes.",
       {{"RUN", "a run's folder"}, {"ATTEMPT", "an attempt's id, or a unique part of it"}},
       in_groups(
           {{"What",
             {{"--print", "PHASE", "", "the program after this phase; a name or a number"},
              {"--dispatch", "NAME", "",
               "one dispatch of it alone, as it comes from the phase flow, or from that of "
               "--print"},
              {"--diff", "PHASE,PHASE", "", "what differs between the programs after two phases"},
              {"--passes", "PHASE", "", "what each pass of a phase changes"},
              {"--compile-from", "PHASE", "", "compile on from the program after this phase"},
              {"--compile-to", "PHASE", "", "compile up to this phase, and print the program"},
              {"--bundle", "DIR", "",
               "write the program, the command and versions into this folder, to show it to "
               "others without assay; of what was wrong when it ran, its inputs, too"}}}}),
       {"it is shown, or written", "", ""},
       {{"assay phases runs/problems softmax", "its phases"},
        {"assay phases runs/problems softmax --diff preprocessing,flow",
         "what became of it on its way to dispatches"},
        {"assay phases runs/problems softmax --passes global-optimization",
         "pass by pass, what changed it"}},
       phases_command},
      serve_row(),
      {"report",
       "render a run",
       "Renders what a run's folder holds, also while the run goes on: what passed at which level "
       "for which target, why the rest did not, and each attempt. Of several runs: their authors, "
       "on the problems that all of them have, and who is faster than whom.\n\n"
       "It goes to standard output, or to --to. --filter and --skip look at attempts' ids.",
       {{"RUN...", "a run's folder, or several"}},
       in_groups(
           {{"What",
             {{"--all", "", "", "for the terminal: a table of all attempts and their costs, too"},
              {"--k", "K,...", "",
               "of those that hand in several candidates: pass@k for these k, as far as somebody "
               "has "
               "so many; without it some up to all"},
              kFilter,
              kSkip}},
            {"Where",
             {{"--format", "FORMAT", "terminal", one_of(names_of(report_formats()))},
              kTo,
              {"--append", "", "",
               "with --format profiler, cutlass or latency: add rows to the file that --to names, "
               "which has the same columns"},
              {"--tags", "NAME=VALUE,...", "",
               "with these formats: columns before all others, for what you want to tell runs by"},
              {"--embed", "WHAT", "usual",
               "of --format html: none (the table of attempts alone), usual (all evidence, the "
               "sources of what did not pass or is faster), all (all sources)"},
              {"--chart", "CHART", "",
               fmt::format("of --format svg: {}; without it the first that the run has something "
                           "for",
                           one_of(names_of(charts())))}}},
            {"Timing", {kRequire}}}),
       {"it is written", "with --require: as for `assay run`",
        "with --require: any could not be judged"},
       {{"assay report runs/problems", "for the terminal; read it from its end"},
        {"assay report runs/problems --format csv --to times.csv", "for a spreadsheet"},
        {"assay report runs/mine runs/yours", "who is faster, on the problems that both have"},
        {"assay report runs/problems --require faster",
         "for a gate: exits with 1 where an attempt is not faster"}},
       report_command},
      {"compare",
       "what changed from one run to another",
       "Compares the verdicts of the attempts that two runs have in common: what is broken, fixed, "
       "or "
       "fails in another way than before. It also says where the runs were made with something "
       "else. "
       "Ratios of sizes, compile times, dispatches, memory and errors show where to look, and "
       "decide nothing. What was "
       "timed in both is faster, slower, the same or undecided. That follows from its speed-ups "
       "against one baseline, with Holm's correction over all attempts.",
       {{"A", "the folder of the run before"}, {"B", "the folder of the run after"}},
       in_groups(
           {{"What",
             {{"--by", "AUTHOR,...", "",
               "two authors: compare what the first made in A with what the second made in B; A "
               "and B may be one run"},
              kFilter,
              kSkip}},
            {"Where",
             {{"--format", "FORMAT", "terminal", one_of(names_of(comparison_formats()))}, kTo}}}),
       {"nothing is broken or known to be slower",
        "something passed in A and not in B, or is slower",
        "something passed in A and could not be judged in B, or was timed in A alone, or the runs "
        "cannot be compared"},
       {{"assay compare runs/before runs/after", "what is broken, fixed, slower and faster"},
        {"assay compare runs/two runs/two --by iree@3.12,iree",
         "what a new version of a compiler changed"},
        {"assay compare runs/before runs/after --format junit --to compare.xml",
         "for a CI server"}},
       compare_command},
      {"merge",
       "put several runs into one",
       "Makes one run of several that were made apart: shards of one grid, each with its own "
       "problems, authors or targets. They must have the same settings and be of the same assay. "
       "Attempts, what they were timed in, and their files come along, files as links where that "
       "is "
       "possible. An attempt that two of them have must be the same in both. The new run appears "
       "whole, or not at all, and the others stay as they are.",
       {{"RUN...", "the folders of the runs"}},
       in_groups({{"Where", {{"--out", "RUN", "", "the new run's folder"}}}}),
       {"the run is there", "", ""},
       {{"assay merge runs/first runs/second --out runs/both", "one run of two shards"}},
       merge_command},
      receipt_row(),
      submit_row(),
      {"completion",
       "complete assay's words in a shell",
       "Prints a script that makes a shell complete commands, options, targets, formats, runs and "
       "attempts. For bash: source <(assay completion bash). For zsh: source <(assay completion "
       "zsh). For fish: assay completion fish | source.",
       {{"SHELL", one_of(shell_words())},
        {"WORD...", "for the scripts: with `words` as the SHELL, what was typed so far", false}},
       {},
       {"it is printed", "", ""},
       {{"assay completion bash", "the script for bash"}},
       completion_command},
      {"doctor",
       "check this machine, and say what mends it",
       "Looks for everything assay needs, tries it out, and prints for each what was found, or "
       "the command that mends it. Each option does one thing alone.",
       {},
       in_groups({{"What",
                   {{"--timing", "", "",
                     "try, in seconds, what a window costs and how small a difference in speed is "
                     "decided here"},
                    {"--fix", "", "",
                     "set what makes timing scatter as it should be, as root: governors, huge "
                     "pages, boost; and say how to undo it"},
                    {"--calibrate", "", "",
                     "measure, in seconds, what this machine can do at most: operations and bytes "
                     "a second"}}}}),
       {"all is well", "", "something is missing, or could not be mended"},
       {{"assay doctor", "everything that assay needs"},
        {"assay doctor --timing", "how small a difference is decided on this machine"}},
       doctor_command},
  };
  return commands;
}

}  // namespace

std::span<const Command> commands() { return table(); }

std::vector<std::string> until_words() { return {"export", "compile", "verify"}; }
std::vector<std::string> mode_words() { return {std::begin(kModeWords), std::end(kModeWords)}; }

const Command* find_command(std::string_view name) {
  for (const Command& command : table())
    if (command.name == name) return &command;
  return nullptr;
}

}  // namespace assay

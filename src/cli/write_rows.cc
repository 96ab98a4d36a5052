// What can be typed of `assay write`, and of what goes with it.
#include <fmt/format.h>

#include "author/author.h"
#include "base/rows.h"
#include "base/words.h"
#include "cli/rows.h"
#include "cli/shared_options.h"
#include "search/strategy.h"

namespace assay {

Command write_row() {
  return {
      "write",
      "have language models write kernels, judge them, and tell the models what came of it",
      "Asks a model for a kernel for each problem, judges it as anyone's, tells the model what "
      "was "
      "wrong or slow, and asks again. What seems to reach the goal is judged once more, on "
      "launches "
      "of its own, and that verdict counts. The run's folder is as one of `assay run`, and has "
      "the "
      "prompts, the answers and the best code beside it.\n\n"
      "The same command again continues: no answer is bought twice. After a kill, calls that were "
      "under way are made again, and what they may have cost stays spent. More attempts, samples "
      "or --spend continue a run that has ended.",
      {{"PATH...", "problems, as for `assay run`; without any $KERNELBENCH_DIR", false}},
      in_groups(
          {{"What",
            {kFilter,
             kSkip,
             kIds,
             kSample,
             kLimit,
             {"--mode", "MODE", "eval", "what models are put into: " + one_of(mode_words())},
             kPrecision,
             {"--until", "STAGE", "", "answer: judge nothing; verify: time nothing"}}},
           {"Who",
            {{"--model", "MODEL,...", "",
              "who writes, PROVIDER:NAME; `assay list providers` says which are set up. Each "
              "searches by itself, and is an author of its own",
              "", true},
             {"--lang", "LANGUAGE", "python",
              "what is to be written: " + one_of(write_languages())},
             {"--param", "NAME=VALUE,...", "", "of each question: temperature=0.1,max_tokens=16384",
              "", true},
             {"--calls", "N", "8", "questions at once"},
             {"--recorded-verdicts", "", "",
              "with replay:RUN: judge nothing, and tell of each answer what was told of it "
              "there"}}},
           {"Prompts",
            {{"--prompts", "FOLDER", "", "templates of your own, or a folder with config.json"},
             {"--prompt", "FILE", "", "a text in the place of what the templates say"},
             {"--context", "FILE...", "", "a file that is shown to the model; can be repeated"},
             {"--from", "FILE", "", "a kernel that the search starts from"}}},
           {"Search",
            {{"--search", "STRATEGY", "reflect", one_of(names_of(strategies()))},
             {"--attempts", "N", "3", "of reflect: so many, one after the other"},
             {"--samples", "N", "3",
              "of reflect and best-of: answers to each question; $NUM_SAMPLES, where that is set"},
             {"--drafts", "N", "4", "of beam: drafts, and answers of each round"},
             {"--repairs", "N", "3", "of beam: of each answer, at most"},
             {"--width", "N", "2", "of beam: how many of the best a round goes on from"},
             {"--rounds", "N", "3", "of beam: that make the best ones faster"},
             {"--goal", "RATIO", "1.0x",
              "stop where this is reached: as fast as the baseline; above 1.0x all of the "
              "interval "
              "has to be"},
             kAllow,
             {"--spend", "LIMIT", "", "stop there: 2M-tokens,5usd,30m"}}},
           {"Where",
            {{"--on", "TARGET,...", "local", "what to write for"},
             {"--out", "RUN", "", "the run's folder; without it runs/NAME of the first path"}}},
           kVerifying,
           {"Timing",
            {{"--against", "AUTHOR,...", default_baseline().name,
              fmt::format("time what is right against these: {}",
                          one_of(names_of_authors(&AuthorType::runs_own_model)))},
             kQuickly,
             kBudget,
             kCache}},
           {"Limits",
            {{"--jobs", "N", "", "candidates judged at once; without it one per usable core"},
             kTimeout,
             kMemory}},
           {"The command itself",
            {{"--dry-run", "", "", "print the first prompt of each problem, and ask nobody"},
             kWatch,
             kQuiet,
             kJson}}}),
      {"every problem's goal is reached, or what can be reached here", "some are not",
       "some could not be judged", "--spend ended it"},
      {{"assay write tour --filter softmax --model openai:gpt-5.5 --lang c",
        "kernels in C for a problem of the bundled suite"},
       {"assay write problems --model 'command:./ask.sh' --search best-of --samples 8",
        "eight answers each, from a program of yours"},
       {"assay write problems --lang c --dry-run", "what a model would be told"}},
      write_command};
}

Command grade_row() {
  return {
      "grade",
      "judge one candidate, and print its verdict as JSON",
      "Judges one candidate for one problem, and prints one JSON object: the keys of HipKittens' "
      "eval.py, and those of `assay serve`. Nothing is stored.",
      {{"PROBLEM", "the problem's file"},
       {"CANDIDATE", "a file of code, or of an answer with code in it; - for standard input"}},
      in_groups(
          {{"What",
            {{"--lang", "LANGUAGE", "", "of CANDIDATE, where its name does not say it"},
             {"--mode", "MODE", "eval", "what the model is put into: " + one_of(mode_words())},
             kPrecision}},
           {"Where",
            {{"--on", "TARGET,...", "local", "what it is for"},
             {"--to", "PATH", "", "the file to write the verdict to"}}},
           kVerifying,
           {"Timing",
            {{"--against", "AUTHOR,...", "",
              fmt::format("time it against these, if it is right: {}",
                          one_of(names_of_authors(&AuthorType::runs_own_model)))},
             kQuickly,
             kBudget,
             kCache}},
           {"Limits",
            {kAllow,
             {"--jobs", "N", "1", "children at once"},
             {"--timeout", "TIME", "5m", "what each call and each build may take"},
             kMemory}}}),
      {"it is right, and with --against faster or as fast",
       "it is right, and slower or undecided, or torch computes its result",
       "it is wrong, or breaks", "", "it could not be judged"},
      {{"assay grade problem.py kernel.c", "whether it is right"},
       {"assay grade problem.py answer.md --against eager", "and how fast"}},
      grade_command};
}

Command watch_row() {
  return {
      "watch",
      "look at a run while it goes on",
      "Shows how a run stands, and shows it again as it changes, until no process is at work on "
      "it "
      "any more. It reads the run's folder alone, so it may run beside another process, and after "
      "a crash.\n\n"
      "With --port it shows the page of `assay report --format html` in a browser, and what comes "
      "as it comes, until it is interrupted. Nothing can be changed there. The judge stops it "
      "while "
      "it times.",
      {{"RUN", "a run's folder"}},
      in_groups(
          {{"Where",
            {{"--port", "N", "", "serve a page there, for a browser; 0: any port that is free"},
             {"--host", "ADDRESS", "127.0.0.1",
              "with --port: the address to listen on. Others than this machine's own need the "
              "token that is in the address that is printed"}}},
           {"The command itself",
            {{"--once", "", "", "show it once, and end"},
             {"--json", "", "", "a JSON object for each change, one per line"}}}}),
      {"it is shown", "", ""},
      {{"assay watch runs/problems", "how it stands, until it ends"},
       {"assay watch runs/problems --port 8000", "the same in a browser"}},
      watch_command};
}

}  // namespace assay

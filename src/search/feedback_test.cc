#include "search/feedback.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/disk.h"
#include "built.h"
#include "search/feedback_parts.h"
#include "search/verdicts.h"

namespace assay {
namespace {

// Records of real verdicts, and what is said of each: NAME.json with NAME.txt, and with NAME.code
// where errors name its lines.
const std::string kFolder = std::string(built::kSourceFolder) + "/tests/data/feedback";

std::string read(const std::string& path) {
  return system_disk().exists(path) ? system_disk().read(path).value_or("") : "";
}

Attempt attempt_of(const std::string& name) {
  auto json = parse_json(read(kFolder + "/" + name + ".json"), name);
  EXPECT_TRUE(json) << json.error().describe();
  auto attempt = attempt_from_json(json.value_or(Json()));
  EXPECT_TRUE(attempt) << name << ": " << attempt.error().describe();
  return attempt.value_or(Attempt{});
}

std::vector<std::string> names() {
  std::vector<std::string> found;
  const auto entries = system_disk().list(kFolder);
  EXPECT_TRUE(entries) << entries.error().describe();
  if (!entries) return found;
  for (const DirectoryEntry& entry : *entries)
    if (entry.name.ends_with(".json")) found.push_back(entry.name.substr(0, entry.name.size() - 5));
  return found;
}

Feedback said_of(const std::string& name, const Attempt& attempt) {
  return feedback_on(attempt, read(kFolder + "/" + name + ".code"), {.goal = 1, .language = "c"});
}

TEST(Feedback, OfRealVerdicts) {
  std::set<std::string> kinds;
  for (const std::string& name : names()) {
    SCOPED_TRACE(name);
    const Attempt attempt = attempt_of(name);
    const Feedback feedback = said_of(name, attempt);
    kinds.insert(feedback.kind);
    const std::string text = feedback.kind + "\n\n" + feedback.text + "\n";
    const std::string path = kFolder + "/" + name + ".txt";
    if (std::getenv("ASSAY_APPROVE") != nullptr) {
      ASSERT_TRUE(system_disk().write(path, text));
    }
    EXPECT_EQ(text, read(path));
    EXPECT_LT(feedback.text.size(), 6000u);
    // Seeds, and places on this machine, are no model's business.
    for (const std::string& secret :
         {attempt.seed, std::string("full/"), std::string("/home/"), std::string("assay_worker")})
      EXPECT_TRUE(secret.empty() || feedback.text.find(secret) == std::string::npos) << secret;
    EXPECT_TRUE(feedback.for_hints.starts_with(feedback.kind)) << feedback.for_hints;
  }
  for (const char* kind : {"compile error", "no code", "crash", "exception", "timeout", "wrong",
                           "forbidden", "library", "slow", "undecided", "right", "fast", "problem"})
    EXPECT_TRUE(kinds.contains(kind)) << "nothing in " << kFolder << " is " << kind;
}

TEST(Feedback, EvidenceMayBeAText) {
  for (const std::string& name : names()) {
    SCOPED_TRACE(name);
    Attempt attempt = attempt_of(name);
    const std::string before = said_of(name, attempt).text;
    for (StageRecord& stage : attempt.stages) {
      stage.evidence_text = stage.evidence.is_null() ? "" : dump_json(stage.evidence);
      stage.evidence = Json();
    }
    EXPECT_EQ(said_of(name, attempt).text, before);
  }
}

// Whatever a record lacks or has in the place of something else: it is read in other versions, too.
TEST(Feedback, SaysSomethingOfRecordsThatLackAnything) {
  for (const std::string& name : names()) {
    Attempt attempt = attempt_of(name);
    for (StageRecord& stage : attempt.stages) {
      if (!stage.evidence.is_object()) continue;
      for (auto& [key, value] : stage.evidence.items()) {
        const Json whole = std::exchange(value, Json());
        EXPECT_FALSE(said_of(name, attempt).text.empty()) << name << " " << key;
        for (const Json& other : {Json("text"), Json::array({1}), Json::object()}) {
          value = other;
          EXPECT_FALSE(said_of(name, attempt).text.empty()) << name << " " << key;
        }
        value = whole;
      }
    }
  }
}

TEST(Feedback, TheGoalIsForTheWholeInterval) {
  Attempt attempt = attempt_of("fast");
  ASSERT_TRUE(attempt.timing);
  const double low = attempt.timing->speedups.front().low;
  EXPECT_EQ(feedback_on(attempt, "", {.goal = low * 0.99, .language = "c"}).kind, "fast");
  EXPECT_EQ(feedback_on(attempt, "", {.goal = low * 1.01, .language = "c"}).kind, "slow");
}

TEST(Feedback, FoldersOfThisMachineAreNobodysBusiness) {
  EXPECT_EQ(without_paths("(file=/opt/lib/torch/__init__.py): ['/opt/lib', '/root/a/b.py']"),
            "(file=__init__.py): ['lib', 'b.py']");
  EXPECT_EQ(without_paths("/tmp/a/kernel.c:3:1: error: x / y /z and a/b"),
            "kernel.c:3:1: error: x / y /z and a/b");
  EXPECT_EQ(without_paths("https://x.org/a #include <assay/kernel.h> f(x)/g/h"),
            "https://x.org/a #include <assay/kernel.h> f(x)/g/h");
  EXPECT_EQ(without_paths("/home/you/my kernels/x.h:3:1: error: at /home/you/b.h\n/a/b.c: no"),
            "x.h:3:1: error: at b.h\nb.c: no");
  EXPECT_EQ(
      without_paths("file:///home/you/k.py //home/you/x.h /home//you/y.h -I/home/you/include"),
      "file:k.py x.h y.h -Iinclude");
  const char* code = "    3 |   int rows = total /rows/columns;\n      |              ^~~~";
  EXPECT_EQ(without_paths(code), code) << "the code that it is shown is its own";
}

// Seldom is an answer that is a hundred times too slow timed until a verdict is sure.
TEST(Feedback, WhatIsPlainlyTooSlowIsSaidToBeWithoutAVerdict) {
  Attempt attempt = attempt_of("slow");
  Speedup& speedup = attempt.timing->speedups.front();
  speedup.outcome = Outcome::undecided;
  speedup.reason = "quick";
  speedup.ratio = speedup.low = speedup.high = 0.02;
  const Feedback slow = feedback_on(attempt, "", {.language = "c"});
  EXPECT_EQ(slow.kind, "slow");
  EXPECT_TRUE(slow.text.contains(": too slow by what was seen, though not enough for a verdict"))
      << slow.text;
  EXPECT_TRUE(slow.for_hints.contains("PERFORMANCE TOO SLOW")) << slow.for_hints;
  speedup.high = 1.1;
  EXPECT_EQ(feedback_on(attempt, "", {.language = "c"}).kind, "undecided");
  EXPECT_EQ(feedback_on(attempt, "", {.goal = 2, .language = "c"}).kind, "slow");
}

TEST(Feedback, WhatCountersSayStandsWithTheSpeed) {
  const Feedback feedback =
      feedback_on(attempt_of("slow"), "", {.language = "c", .counted = {"IPC is 0.4."}});
  EXPECT_TRUE(feedback.text.ends_with("\n- IPC is 0.4.")) << feedback.text;
}

TEST(Feedback, OfWhatEndsInAnotherWay) {
  struct Row {
    StageStatus status;
    std::optional<FailureClass> failure;
    const char *error, *kind, *part;
  };
  for (const Row& row : {Row{StageStatus::not_judged,
                             {},
                             "cannot write '/home/you/x.bin': No space left on device",
                             "not judged",
                             "'x.bin'"},
                         Row{StageStatus::failed, FailureClass::out_of_memory,
                             "it took more than 8 GiB", "memory", "more than 8 GiB"},
                         Row{StageStatus::failed, FailureClass::output_limit,
                             "it printed more than 1 MiB", "exception", "1 MiB"},
                         Row{StageStatus::unsupported,
                             {},
                             "its forward draws random numbers",
                             "problem",
                             "draws random numbers"}}) {
    Attempt attempt;
    StageRecord stage;
    stage.stage = Stage::verify;
    stage.status = row.status;
    stage.failure = row.failure;
    stage.error = row.error;
    attempt.stages = {stage};
    attempt.verdict = verdict_of(attempt.stages);
    const Feedback feedback = feedback_on(attempt, "code", {.language = "c"});
    EXPECT_EQ(feedback.kind, row.kind);
    EXPECT_NE(feedback.text.find(row.part), std::string::npos) << feedback.text;
    EXPECT_EQ(feedback.text.find("/home"), std::string::npos) << feedback.text;
  }
}

// Another answer may do without a GPU, and none brings a compiler that this machine does not have.
TEST(Feedback, WhatADeviceIsAskedForIsTheAnswersOwnChoice) {
  StageRecord stage;
  stage.stage = Stage::verify;
  stage.status = StageStatus::not_judged;
  stage.rule = "needs cuda";
  stage.error = "it asks for a GPU, and it is called on the CPU here";
  Attempt attempt;
  attempt.stages = {stage};
  attempt.verdict = verdict_of(attempt.stages);
  const Feedback feedback = feedback_on(attempt, "code", {.language = "python"});
  EXPECT_EQ(feedback.kind, "not judged");
  EXPECT_TRUE(feedback.text.contains("it asks for a GPU")) << feedback.text;
  EXPECT_FALSE(feedback.text.contains("not its own")) << feedback.text;
  EXPECT_EQ(fault_of(attempt), Fault::machine) << "of the record, as of every other run";
  EXPECT_EQ(verdict_for(attempt, feedback).fault, Fault::candidate);
  attempt.stages[0].rule = "";
  attempt.stages[0].error = "this machine has no hipcc";
  const Feedback missing = feedback_on(attempt, "code", {.language = "hip"});
  EXPECT_TRUE(missing.text.contains("not its own")) << missing.text;
  EXPECT_EQ(verdict_for(attempt, missing).fault, Fault::machine);
}

TEST(Feedback, LibraryIsAllowedWhereItIsAskedFor) {
  const Attempt attempt = attempt_of("library");
  const Feedback feedback = feedback_on(attempt, "", {.language = "python"});
  EXPECT_EQ(feedback.kind, "library") << "apart from what is forbidden";
  EXPECT_NE(feedback.for_hints.find("No custom kernels"), std::string::npos);
  EXPECT_NE(feedback_on(attempt, "", {.language = "python", .allow_library = true}).kind,
            "library");
}

// Each label is allowed by itself: who is told nothing cannot mend what does not count.
TEST(Feedback, AFallbackIsToldOfWhereOnlyLibraryIsAllowed) {
  Attempt attempt = attempt_of("library");
  attempt.stages.back().evidence["labels"] = {"library", "fallback"};
  const Feedback feedback = feedback_on(attempt, "", {.allow_library = true});
  EXPECT_EQ(feedback.kind, "fallback");
  EXPECT_TRUE(feedback.text.contains("hides an error")) << feedback.text;
  EXPECT_EQ(feedback_on(attempt, "", {.allow_library = true, .allow_fallback = true}).kind,
            "right");
}

TEST(Feedback, AnExcerptHasTheFirstErrorAndTheEnd) {
  std::string log = "warnings\n";
  log += "kernel.c:2:3: error: 'y' undeclared\n";
  for (int i = 0; i < 100; ++i) log += "note " + std::to_string(i) + "\n";
  log += "compilation terminated.\n";
  const std::string said = log_excerpt(log, "int a;\n  y = 1;\n");
  EXPECT_NE(said.find("kernel.c:2:3: error: 'y' undeclared\n        2 |   y = 1;\n"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("compilation terminated."), std::string::npos) << said;
  EXPECT_EQ(said.find("note 50"), std::string::npos) << said;
  EXPECT_EQ(log_excerpt("", "x"), "");
  EXPECT_NE(log_excerpt("nothing that says error\n", "").find("nothing that"), std::string::npos);
}

}  // namespace
}  // namespace assay

// Formats that other tools read: SARIF, Bencher's, PyTorch's.
#include <gtest/gtest.h>

#include <filesystem>

#include "report/example_run.h"
#include "report/format.h"
#include "report/source_lines.h"

namespace assay {
namespace {

Json as_json(const char* format, const std::vector<Attempt>& attempts) {
  ReportInput input = example_run();
  input.attempts = attempts;
  return *parse_json(rendered(format_named(format), input).front().text, format);
}

// A candidate in C that does not build.
Attempt failed_build(const std::string& path, const std::string& error) {
  Attempt attempt = example_verified("relu", "local");
  attempt.author = "mine";
  attempt.origin.author = "file:" + path;
  StageRecord& stage = attempt.stages[1];
  stage.status = StageStatus::failed;
  stage.failure = FailureClass::build;
  stage.error = error;
  stage.detail = "In file included from <command-line>:\n" + path +
                 ":12:5: error: 'x' undeclared\n" + path + ":12:9: note: each is told once\n" +
                 path + ":30:1: error: expected ';'\n";
  attempt.stages.resize(2);
  attempt.artifacts.clear();
  attempt.verdict = verdict_of(attempt.stages);
  attempt.id = attempt_id(attempt, true);
  return attempt;
}

Attempt timed_against_eager(const std::string& name, Outcome outcome, const std::string& reason) {
  Attempt attempt = example_timed(example_verified(name, "local"),
                                  {"eager", 2, 1.9, 2.1, outcome, reason, {}, {}});
  attempt.verdict = verdict_of(attempt.stages);
  return attempt;
}

TEST(SourceLines, AreThoseThatACompilerOrATracebackNames) {
  const Attempt c = failed_build("/mine/fast.c", "'x' undeclared (fast.c:12:5)");
  const auto lines = lines_named(c, "fast.c");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].line, 12);
  EXPECT_EQ(lines[1].line, 30);
  EXPECT_EQ(lines[1].text, "error: expected ';'");
  EXPECT_TRUE(lines_named(c, "slow.c").empty());

  Attempt python = failed_build("/mine/fast.py", "NameError: name 'y' is not defined");
  python.stages[1].detail = "Traceback:\n  File \"/mine/fast.py\", line 7, in forward\n    y\n";
  ASSERT_EQ(lines_named(python, "fast.py").size(), 1u);
  EXPECT_EQ(lines_named(python, "fast.py")[0].line, 7);
  python.stages[1].detail = "fast.py:0: x\nfast.py:99999999999: x\nfast.py: x\nfast.py";
  EXPECT_TRUE(lines_named(python, "fast.py").empty());
}

TEST(Sarif, HasWhatIsWrongAtItsLine) {
  const std::string here = std::filesystem::current_path() / "my kernels/fast.c";
  Attempt elsewhere = failed_build("/elsewhere/ü.c", "no place");
  elsewhere.stages[1].detail = "ld: no such symbol\n";
  Attempt unjudged = example_verified("relu", "local");
  unjudged.stages[2].status = StageStatus::not_judged;
  unjudged.stages[2].rule = "needs cuda";
  unjudged.stages[2].error = "it needs a GPU";
  unjudged.verdict = verdict_of(unjudged.stages);
  const Json json = as_json("sarif", {failed_build(here, "'x' undeclared"), elsewhere, unjudged,
                                      example_verified("right", "local")});
  EXPECT_EQ(json["version"], "2.1.0");
  const Json& run = json["runs"][0];
  ASSERT_EQ(run["results"].size(), 2u) << json.dump(1);
  const Json& first = run["results"][0];
  EXPECT_EQ(first["ruleId"], "compile/build");
  EXPECT_EQ(first["level"], "error");
  const Json& place = first["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "my%20kernels/fast.c");
  EXPECT_EQ(place["region"]["startLine"], 12);
  const Json& other = run["results"][1]["locations"][0]["physicalLocation"];
  EXPECT_EQ(other["artifactLocation"]["uri"], "file:///elsewhere/%C3%BC.c");
  EXPECT_FALSE(other.contains("region"));
  EXPECT_EQ(run["tool"]["driver"]["rules"].size(), 1u);
}

TEST(Bmf, HasIntervalsOfWhatIsDecided) {
  const Attempt faster = timed_against_eager("a", Outcome::faster, ""),
                undecided = timed_against_eager("b", Outcome::undecided, "clocks");
  const Json json = as_json("bmf", {faster, undecided});
  EXPECT_EQ(json[faster.id]["speedup-eager"],
            (Json{{"value", 2.0}, {"lower_value", 1.9}, {"upper_value", 2.1}}));
  EXPECT_EQ(json[faster.id]["latency"],
            (Json{{"value", 2e6}, {"lower_value", 1.9e6}, {"upper_value", 2.5e6}}));
  EXPECT_EQ(json[faster.id]["file-size"]["value"], 12345);
  EXPECT_FALSE(json[undecided.id].contains("speedup-eager"));
}

TEST(TorchV3, HasARecordForEachMetric) {
  const Attempt faster = timed_against_eager("a", Outcome::faster, "");
  const Json json =
      as_json("torch-v3", {faster, timed_against_eager("b", Outcome::undecided, "clocks"),
                           failed_build("/mine/fast.c", "'x' undeclared")});
  std::vector<std::string> names;
  for (const Json& each : json)
    names.push_back(each["model"]["name"].get<std::string>() + " " +
                    each["metric"]["name"].get<std::string>());
  EXPECT_EQ(names, (std::vector<std::string>{"a accuracy", "a latency_ns", "a speedup",
                                             "b accuracy", "b latency_ns", "relu accuracy"}));
  EXPECT_EQ(json[2]["metric"]["benchmark_values"], Json({2.0}));
  EXPECT_EQ(json[2]["metric"]["extra_info"]["low"], 1.9);
  EXPECT_EQ(json[5]["metric"]["benchmark_values"], Json({1.0 * 0}));
  EXPECT_EQ(json[0]["benchmark"]["extra_info"]["device"], "local");
}

}  // namespace
}  // namespace assay

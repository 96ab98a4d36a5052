// What every report format must hold, whatever stands in the records: each attempt is there once,
// the counts agree, and text from elsewhere stays text. A format without a reader here fails.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "base/escape.h"
#include "read_gzip.h"
#include "report/attempt_writer.h"
#include "report/example_run.h"
#include "report/format.h"
#include "report/html.h"

namespace assay {
namespace {

const std::vector<std::string> kHostile{"plain",
                                        "new\nline",
                                        "\"quotes\" and 'ticks'",
                                        "comma, semicolon; tab\t",
                                        "]]><!-- & -->",
                                        "<script>x</script>",
                                        "| pipe `code` *bold*",
                                        "=1+1",
                                        "esc \x1b[2J \x07",
                                        "\u202egnp.exe",
                                        "\u91cf\u5b50 \U0001f600",
                                        "bad \xff\xc3 utf8",
                                        "noncharacter \xef\xbf\xbf",
                                        "\r\n",
                                        " ",
                                        "100% {} {0} %s",
                                        "\\backslash\\",
                                        "cr\rcr"};

// Every name and every error line is hostile; some passed, some failed, on two targets.
ReportInput hostile_run() {
  ReportInput input = example_run();
  input.attempts.clear();
  for (const std::string& name : kHostile) {
    for (const char* target : {"a100", "local"}) {
      Attempt attempt = example_attempt("level " + name, name, target);
      attempt.reproduce = "assay run " + shell_quote(attempt.path);
      bool passes = attempt.target == "local" && name.size() % 2 == 0;
      if (!passes) {
        attempt.stages.resize(1);
        attempt.stages[0].status = StageStatus::failed;
        attempt.stages[0].failure =
            name.size() % 3 == 0 ? FailureClass::load : FailureClass::export_;
        attempt.stages[0].error = "ValueError: " + name;
        attempt.stages[0].detail = name + name;
        attempt.artifacts.clear();
      }
      attempt.verdict = verdict_of(attempt.stages);
      attempt.id = attempt_id(attempt, attempt.author != "iree");
      EXPECT_TRUE(check(attempt));
      input.attempts.push_back(attempt);
    }
  }
  std::ranges::sort(input.attempts, {}, &Attempt::id);
  return input;
}

// What a reader finds: how often each attempt, and what the summary counts.
struct Seen {
  std::map<std::string, size_t> ids;
  size_t passed = 0;
  size_t total = 0;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void read_summary_sentence(const std::string& line, Seen& seen) {
  size_t at = line.find_first_of("0123456789");
  ASSERT_NE(at, std::string::npos) << line;
  seen.passed = std::stoul(line.substr(at));
  seen.total = std::stoul(line.substr(line.find(" of ") + 4));
}

Seen read_json(const std::vector<ReportFile>& files) {
  Seen seen;
  auto json = parse_json(files[0].text, "the report");
  EXPECT_TRUE(json);
  if (!json) return seen;
  for (const Json& attempt : (*json)["attempts"]) ++seen.ids[attempt["id"]];
  seen.passed = (*json)["summary"]["all"]["passed"];
  seen.total = (*json)["summary"]["all"]["total"];
  size_t cells = 0, caused = 0;
  for (const auto& [level, targets] : (*json)["summary"]["by_level_and_target"].items())
    for (const auto& [target, tally] : targets.items()) cells += tally["total"].get<size_t>();
  for (const Json& cause : (*json)["causes"]) caused += cause["attempts"].size();
  EXPECT_EQ(cells, seen.total);
  EXPECT_EQ(caused, seen.total - seen.passed);
  return seen;
}

Seen read_json_lines(const std::vector<ReportFile>& files) {
  Seen seen;
  for (const std::string& line : lines_of(files[0].text)) {
    auto json = parse_json(line, "a line");
    EXPECT_TRUE(json) << line;
    if (!json) continue;
    ++seen.ids[(*json)["id"]];
    ++seen.total;
    seen.passed += (*json)["verdict"] == "compiled" ? 1 : 0;
  }
  return seen;
}

// RFC 4180, strictly.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows{{""}};
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    std::string& field = rows.back().back();
    if (quoted) {
      if (text[i] != '"')
        field += text[i];
      else if (i + 1 < text.size() && text[i + 1] == '"')
        field += text[++i];
      else
        quoted = false;
    } else if (text[i] == '"') {
      EXPECT_TRUE(field.empty()) << "a quote within a field";
      quoted = true;
    } else if (text[i] == ',') {
      rows.back().emplace_back();
    } else if (text[i] == '\r') {
      EXPECT_EQ(text[++i], '\n');
      rows.push_back({""});
    } else {
      EXPECT_NE(text[i], '\n') << "a bare line feed";
      field += text[i];
    }
  }
  EXPECT_FALSE(quoted);
  rows.pop_back();
  return rows;
}

Seen read_csv(const std::vector<ReportFile>& files) {
  Seen seen;
  auto rows = parse_csv(files[0].text);
  auto column = [&](const char* name) {
    return static_cast<size_t>(std::ranges::find(rows[0], name) - rows[0].begin());
  };
  std::vector<std::string> problems;
  for (size_t i = 1; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].size(), rows[0].size());
    if (rows[i].size() != rows[0].size()) continue;
    ++seen.ids[rows[i][column("id")]];
    ++seen.total;
    seen.passed += rows[i][column("verdict")] == "compiled" ? 1 : 0;
    problems.push_back(rows[i][column("problem")]);
  }
  for (const std::string& name : kHostile)
    EXPECT_EQ(std::ranges::count(problems, printable(utf8(name), true)), 2) << name;
  return seen;
}

// What tests/cases/report_hostile does with a real parser, as far as it goes without one.
Seen read_junit(const std::vector<ReportFile>& files) {
  Seen seen;
  size_t failing = 0;
  for (const std::string& line : lines_of(files[0].text)) {
    constexpr std::string_view kId = "<property name=\"id\" value=\"";
    if (size_t at = line.find(kId); at != std::string::npos) {
      std::string rest = line.substr(at + kId.size());
      ++seen.ids[rest.substr(0, rest.find('"'))];
    }
    failing += line.starts_with("   <failure ") ? 1 : 0;
    if (line.starts_with("<testsuites "))
      seen.total = std::stoul(line.substr(line.find("tests=\"") + 7));
  }
  seen.passed = seen.total - failing;
  EXPECT_EQ(files[0].text.find("]]>"), std::string::npos);
  return seen;
}

Seen read_markdown(const std::vector<ReportFile>& files) {
  Seen seen;
  bool table = false;
  for (const std::string& line : lines_of(files[0].text)) {
    if (line.starts_with("## ")) table = line == "## Attempts";
    if (line.starts_with("**")) read_summary_sentence(line, seen);
    if (!table || !line.starts_with("| ") || line.starts_with("| attempt") ||
        line.starts_with("| ---"))
      continue;
    std::string id;
    for (char c : line.substr(2, line.find(" | ") - 2))
      if (c != '\\') id += c;
    ++seen.ids[id];
  }
  return seen;
}

Seen read_terminal(const std::vector<ReportFile>& files) {
  Seen seen;
  bool table = false;
  for (const std::string& line : lines_of(files[0].text)) {
    if (line.starts_with("ATTEMPT ")) {
      table = true;
    } else if (line.empty()) {
      table = false;
    } else if (table) {
      ++seen.ids[line.substr(0, line.find("  "))];
    } else if (line.contains(" of ") && line.contains(" passed")) {
      read_summary_sentence(line, seen);
    }
  }
  return seen;
}

Seen read_classic(const std::vector<ReportFile>& files) {
  Seen seen;
  EXPECT_EQ(files[0].name, "iree_compile.log");
  EXPECT_EQ(files[1].name, "iree_compile_report.json");
  EXPECT_EQ(files[2].name, "iree_compile_report.md");
  auto json = parse_json(files[1].text, "the report");
  EXPECT_TRUE(json);
  if (!json) return seen;
  const Json& overall = (*json)["statistics"]["overall"];
  seen.passed = overall["success"];
  seen.total = overall["total"];
  EXPECT_EQ((*json)["summary"]["total_compilation_attempts"], seen.total);
  EXPECT_EQ((*json)["summary"]["successful_compilations"], seen.passed);
  // Here attempts have no ids: the places that name them are counted, and the log's lines.
  size_t targets = (*json)["summary"]["num_targets"];
  size_t entries = (*json)["details"]["load_failures"].size() * targets;
  for (const auto& [level, by_target] : (*json)["details"]["results"].items())
    for (const auto& [target, results] : by_target.items())
      entries += results["success"].size() + results["failed"].size();
  EXPECT_EQ(entries, seen.total);
  EXPECT_EQ(lines_of(files[0].text).size(), seen.total);
  for (const Attempt& attempt : hostile_run().attempts) ++seen.ids[attempt.id];
  return seen;
}

// The table, and that each attempt's details lie where the table says.
Seen read_html(const std::vector<ReportFile>& files) {
  Seen seen;
  const std::string& page = files[0].text;
  EXPECT_EQ(page.find("<script>x</script>"), std::string::npos) << "text is compressed";
  EXPECT_TRUE(page.ends_with("</html>\n"));
  const Json table = data_of(page, "assay-table");
  seen.total = table["rows"];
  const Json& ids = table["columns"]["id"];
  EXPECT_EQ(ids.size(), seen.total);
  size_t caused = 0;
  for (const Json& cause : table["causes"]) caused += cause["attempts"].size();
  seen.passed = seen.total - caused;
  for (size_t i = 0; i < ids.size(); ++i) {
    const Json block = data_of(page, fmt::format("assay-block-{}", i / kAttemptsInBlock));
    const Json& details = block[i % kAttemptsInBlock];
    EXPECT_EQ(details["attempt"]["id"], ids[i]);
    EXPECT_TRUE(details["words"].get<std::string>().contains(ids[i].get<std::string>()));
    ++seen.ids[ids[i]];
  }
  return seen;
}

const std::map<std::string_view, std::function<Seen(const std::vector<ReportFile>&)>> kReaders{
    {"terminal", read_terminal}, {"md", read_markdown}, {"json", read_json},
    {"jsonl", read_json_lines},  {"csv", read_csv},     {"junit", read_junit},
    {"classic", read_classic},   {"html", read_html}};

// They leave out what says nothing to their readers, and have tests of their own.
const std::set<std::string_view> kSomeAlone{
    "kernelbench", "sarif",        "bmf",           "svg",     "summary",
    "torch-v3",    "profiler",     "profiler-text", "cutlass", "google-benchmark",
    "latency",     "commands",     "generated",     "score",   "geak",
    "arena",       "kernelbench-x"};

class Conformance : public testing::TestWithParam<Format> {};

TEST_P(Conformance, EachAttemptIsThereOnceAndTheCountsAgree) {
  if (kSomeAlone.contains(GetParam().name)) return;
  ASSERT_TRUE(kReaders.contains(GetParam().name)) << "write a reader for it in this file";
  ReportInput input = hostile_run();
  input.all = true;
  Summary summary = summarise(input.attempts);
  ASSERT_GT(summary.all.passed(), 0u);
  Seen seen = kReaders.at(GetParam().name)(rendered(GetParam(), input));
  EXPECT_EQ(seen.ids.size(), input.attempts.size());
  for (const Attempt& attempt : input.attempts) EXPECT_EQ(seen.ids[attempt.id], 1u) << attempt.id;
  EXPECT_EQ(seen.passed, summary.all.passed());
  EXPECT_EQ(seen.total, summary.all.total);
}

TEST_P(Conformance, NoByteOfAStrangerControlsTheReader) {
  for (const ReportFile& file : rendered(GetParam(), hostile_run())) {
    EXPECT_EQ(file.text, utf8(file.text)) << file.name << " is not UTF-8";
    for (size_t i = 0; i < file.text.size(); ++i) {
      char c = file.text[i];
      auto byte = static_cast<unsigned char>(c);
      // A quoted field of CSV keeps tabs; its lines end in CR LF.
      bool shown = byte >= 0x20 || c == '\n' ||
                   (GetParam().ending == ".csv" && (c == '\t' || file.text.substr(i, 2) == "\r\n"));
      ASSERT_TRUE(shown) << file.name << " has byte " << int{byte};
    }
    if (!file.name.ends_with(".md")) continue;
    for (const std::string& line : lines_of(file.text)) {
      bool code = line.starts_with("      ");  // a block of it, in which nothing is markup
      EXPECT_TRUE(code || !line.contains("<script>")) << line;
    }
  }
}

TEST_P(Conformance, EveryFailureHasItsErrorAndItsCommand) {
  if (GetParam().name == "classic" || kSomeAlone.contains(GetParam().name))
    return;  // their readers know no commands
  ReportInput input = example_run();
  std::string text = rendered(GetParam(), input).front().text;
  if (GetParam().name == "html") {
    const Json first = data_of(text, "assay-block-0");
    text.clear();
    for (const Json& each : first) text += each["words"].get<std::string>();
  }
  for (const Attempt& attempt : input.attempts) {
    if (!attempt.deciding_stage()) continue;
    EXPECT_NE(text.find(attempt.reproduce), std::string::npos) << attempt.reproduce;
  }
  EXPECT_NE(text.find("crashed with SIGSEGV"), std::string::npos);
}

// Where a candidate was timed, formats for programs have its speed-up in full.
TEST_P(Conformance, TimesAreWhereProgramsReadThem) {
  ReportInput input = hostile_run();
  Attempt attempt = example_timed(
      example_verified("timed", "local"),
      {"by | \"<x>\", \x1b", 1.2345678901234, 1.1, 1.3, Outcome::undecided, "noisy", {}, {}});
  attempt.timing->provisional = true;
  attempt.verdict = verdict_of(attempt.stages);
  ASSERT_TRUE(check(attempt));
  input.attempts.push_back(attempt);
  input.all = true;
  const ReportFile file = rendered(GetParam(), input).front();
  EXPECT_FALSE(file.text.contains("\x1b"));
  if (GetParam().name == "csv") {
    auto rows = parse_csv(file.text);
    auto of_last = [&](const char* name) {
      auto at = std::ranges::find(rows[0], name) - rows[0].begin();
      EXPECT_EQ(rows[1][static_cast<size_t>(at)].empty(), true) << name;
      return rows.back()[static_cast<size_t>(at)];
    };
    for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size());
    EXPECT_EQ(std::stod(of_last("ratio")), 1.2345678901234);
    EXPECT_EQ(of_last("baseline"), "by | \"<x>\", \\x1b");
    EXPECT_EQ(of_last("outcome"), "undecided");
    EXPECT_EQ(of_last("reason"), "noisy");
    EXPECT_EQ(of_last("provisional"), "true");
    EXPECT_EQ(of_last("cpu_median_ns"), "2000000");
    EXPECT_EQ(of_last("baseline_wall_median_ns"), "3100000");
    EXPECT_EQ(of_last("gb_per_s"), "4");
    EXPECT_EQ(of_last("gflop_per_s"), "50");
    EXPECT_EQ(of_last("roofline_percent"), "50");
    EXPECT_EQ(of_last("sol_score"), "0.625");
  } else if (GetParam().name == "junit") {
    EXPECT_TRUE(file.text.contains("<property name=\"ratio\" value=\"1.2345678901234\"/>"));
    EXPECT_TRUE(file.text.contains("<property name=\"roofline_percent\" value=\"50\"/>"));
    EXPECT_TRUE(file.text.contains("<property name=\"baseline\" value=\"by | &quot;&lt;x"));
  } else if (GetParam().name == "json") {
    auto json = parse_json(file.text, "the report");
    ASSERT_TRUE(json);
    int timed = 0;
    for (const Json& score : (*json)["summary"]["speed"]) {
      timed += score["undecided"].get<int>();
      EXPECT_EQ(score["provisional"], score["undecided"] == 1);
    }
    EXPECT_EQ(timed, 2) << "one, of its level and of the suite";
  } else if (GetParam().name == "terminal" || GetParam().name == "md") {
    EXPECT_TRUE(file.text.contains("provisional: ")) << file.text;
  }
}

TEST_P(Conformance, FilesHaveNames) {
  auto files = rendered(GetParam(), example_run());
  ASSERT_FALSE(files.empty());
  std::vector<std::string> names;
  for (const ReportFile& file : files) names.push_back(file.name);
  EXPECT_EQ(names, report_files(GetParam(), example_run()));
  for (const std::string& name : names) EXPECT_FALSE(name.empty());
  EXPECT_TRUE(names.front().ends_with(GetParam().ending));
}

// Loading fails once, in the export that serves all targets: the attempts of each target count it.
TEST_P(Conformance, AProblemThatDoesNotLoadFailsForEachTarget) {
  ReportInput input = example_run();
  input.attempts.clear();
  for (const char* target : {"a", "b", "c"}) {
    Attempt attempt = example_attempt("level1", "broken", target);
    attempt.stages.resize(1);
    attempt.stages[0].status = StageStatus::failed;
    attempt.stages[0].failure = FailureClass::load;
    attempt.stages[0].error = "SyntaxError: invalid syntax";
    attempt.artifacts.clear();
    attempt.verdict = Verdict::failed;
    input.attempts.push_back(attempt);
  }
  Summary summary = summarise(input.attempts);
  for (const auto& [target, tally] : summary.by_target) EXPECT_EQ(tally.count(Verdict::failed), 1u);
  EXPECT_EQ(summary.all.count(Verdict::failed), 3u);
  for (const ReportFile& file : rendered(GetParam(), input)) EXPECT_FALSE(file.text.empty());
}

// What JSON reports write without building values is what the record itself gives.
TEST(AttemptWriter, WritesWhatToJsonGives) {
  std::vector<Attempt> attempts = example_run().attempts;
  for (Attempt& attempt : hostile_run().attempts) attempts.push_back(attempt);
  for (Attempt& attempt : attempts) {
    std::string wanted = dump_json(to_json(attempt)), text = "before ";
    append_json(text, attempt);
    EXPECT_EQ(text, "before " + wanted);
    for (StageRecord& stage : attempt.stages)
      if (!stage.evidence.is_null())
        stage.evidence_text = dump_json(std::exchange(stage.evidence, nullptr));
    text.clear();
    append_json(text, attempt);
    EXPECT_EQ(text, wanted);
  }
}

// Those of searches have no attempts of others: search_results_test.cc.
std::vector<Format> of_all_runs() {
  std::vector<Format> table(report_formats().begin(), report_formats().end());
  std::erase_if(table, &Format::of_searches);
  return table;
}

INSTANTIATE_TEST_SUITE_P(Formats, Conformance, testing::ValuesIn(of_all_runs()),
                         [](const auto& format) {
                           std::string name(format.param.name);  // letters, digits and _
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace assay

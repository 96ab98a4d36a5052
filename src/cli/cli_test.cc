// The tables of commands, and what parsing and help make of them.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "author/author.h"
#include "cli/command.h"
#include "report/format.h"

namespace assay {
namespace {

Result<ParsedLine> parse(std::vector<const char*> words) { return parse_command_line(words); }

std::string problem(std::vector<const char*> words) {
  auto line = parse(std::move(words));
  return line ? "none" : line.error().message;
}

TEST(CommandLine, ValuesListsAndFallbacks) {
  auto line = parse({"run", "a.py", "--on", "local,a100", "b", "--on=x", "--force", "--jobs", "3"});
  ASSERT_TRUE(line) << line.error().message;
  const Arguments& arguments = line->arguments;
  EXPECT_EQ(arguments.positional("PATH..."), (std::vector<std::string>{"a.py", "b"}));
  EXPECT_EQ(arguments.list("--on"), (std::vector<std::string>{"local", "a100", "x"}));
  EXPECT_EQ(arguments.list("--by"), std::vector<std::string>{"iree"});
  EXPECT_EQ(arguments.text("--jobs"), "3");
  EXPECT_EQ(arguments.text("--timeout"), "5m");
  EXPECT_TRUE(arguments.given("--force"));
  EXPECT_FALSE(arguments.given("--quiet"));
  EXPECT_FALSE(arguments.given("--out"));
}

TEST(CommandLine, OptionalPositionals) {
  EXPECT_EQ(parse({"list", "targets"})->arguments.positional("NAME").size(), 0u);
  EXPECT_EQ(parse({"list", "targets", "a"})->arguments.positional("NAME").front(), "a");
  EXPECT_EQ(parse({"run", "--", "-odd.py"})->arguments.positional("PATH...").front(), "-odd.py");
}

TEST(CommandLine, MistakesGetOneClearError) {
  EXPECT_EQ(problem({"rnu"}), "assay has no command 'rnu' (did you mean 'run'?)");
  EXPECT_EQ(problem({"run", "a", "--jbos", "3"}),
            "`assay run` has no option '--jbos' (did you mean '--jobs'?)");
  EXPECT_NE(problem({"run"}).find("needs PATH..."), std::string::npos);
  EXPECT_EQ(problem({"run", "a", "--jobs"}), "--jobs needs a value: N");
  EXPECT_EQ(problem({"run", "a", "--on"}), "--on needs a value: TARGET,...");
  EXPECT_EQ(problem({"run", "a", "--by", ""}), "--by needs a value: AUTHOR,...");
  EXPECT_EQ(problem({"run", "a", "--by", ",", "--on", "local"}), "--by needs a value: AUTHOR,...");
  EXPECT_EQ(problem({"run", "a", "--jobs", "1", "--jobs=2"}), "--jobs is given twice");
  EXPECT_EQ(problem({"run", "a", "--quiet=no"}), "--quiet takes no value");
  EXPECT_EQ(problem({"--verison"}), "assay has no command '--verison' (did you mean '--version'?)");
  EXPECT_EQ(problem({"run", "--jobs=1", "--memory", "1G", "a"}), "none");
  EXPECT_NE(problem({"list", "targets", "a", "b"}), "none");
}

TEST(CommandLine, HelpIsEverywhere) {
  EXPECT_EQ(parse({})->kind, ParsedLine::Kind::help);
  EXPECT_EQ(parse({"--version"})->kind, ParsedLine::Kind::version);
  for (const Command& command : commands()) {
    auto line = parse({command.name.data(), "--help"});
    ASSERT_TRUE(line);
    EXPECT_EQ(line->kind, ParsedLine::Kind::help);
    std::string text = help_text(line->command);
    for (const Option& option : command.options)
      EXPECT_NE(text.find(option.name), std::string::npos) << command.name << option.name;
    std::istringstream lines(text);
    for (std::string each; std::getline(lines, each);) EXPECT_LE(each.size(), 88u) << each;
  }
}

TEST(CommandLine, EveryDeclarationIsComplete) {
  std::set<std::string_view> names;
  for (const Command& command : commands()) {
    EXPECT_TRUE(names.insert(command.name).second);
    EXPECT_FALSE(command.summary.empty());
    EXPECT_FALSE(command.description.empty());
    EXPECT_NE(command.run, nullptr);
    EXPECT_FALSE(command.statuses.zero.empty());
    for (const Option& option : command.options) {
      EXPECT_TRUE(option.name.starts_with("--")) << option.name;
      EXPECT_FALSE(option.help.empty()) << option.name;
    }
  }
}

TEST(CommandLine, HelpShowsEachGroupOnce) {
  for (const Command& command : commands()) {
    const std::string text = help_text(&command);
    for (const Option& option : command.options) {
      const std::string heading = "\n\n" + std::string(option.group) + ":\n";
      ASSERT_FALSE(option.group.empty()) << command.name << option.name;
      const size_t at = text.find(heading);
      ASSERT_NE(at, std::string::npos) << command.name << option.group;
      EXPECT_EQ(text.find(heading, at + 1), std::string::npos) << command.name << option.group;
      EXPECT_LT(at, text.find("\n  " + std::string(option.name) + " "))
          << command.name << option.name;
    }
  }
}

// What help shows can be typed: of that command, and with options that it has.
TEST(CommandLine, ExamplesAreCommandLines) {
  for (const Command& command : commands()) {
    EXPECT_FALSE(command.examples.empty()) << command.name;
    for (const Example& example : command.examples) {
      std::string line(example.line);
      std::erase(line, '\'');
      std::istringstream text(line);
      std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
      ASSERT_EQ(words.front(), "assay") << line;
      std::vector<const char*> rest;
      for (size_t i = 1; i < words.size(); ++i) rest.push_back(words[i].c_str());
      auto parsed = parse(rest);
      ASSERT_TRUE(parsed) << line << ": " << parsed.error().message;
      EXPECT_EQ(parsed->kind, ParsedLine::Kind::run) << line;
      EXPECT_EQ(parsed->command, &command) << line;
    }
  }
}

// One word is one thing in every command.
TEST(CommandLine, AnOptionTakesTheSameEverywhere) {
  std::map<std::string_view, std::string_view> values;
  for (const Command& command : commands())
    for (const Option& option : command.options) {
      // A place to write to: of one command it is not on this machine.
      const std::string_view value = option.value == "URL" ? "PATH" : option.value;
      auto [known, added] = values.emplace(option.name, value);
      EXPECT_EQ(known->second, value) << command.name << option.name;
    }
}

TEST(CommandLine, NamesOfTablesComeFromTheTables) {
  const std::string report = help_text(find_command("report")),
                    run = help_text(find_command("run"));
  for (const Format& format : report_formats()) EXPECT_TRUE(report.contains(format.name));
  for (const AuthorType& author : author_types()) EXPECT_TRUE(run.contains(author.name));
  const std::string all = vocabulary_markdown();
  for (const Format& format : formats()) EXPECT_TRUE(all.contains(format.title)) << format.name;
  for (const Command& command : commands()) {
    EXPECT_TRUE(all.contains(command.summary)) << command.name;
    for (const Option& option : command.options) EXPECT_TRUE(all.contains(option.name));
    EXPECT_TRUE(help_text(&command).contains("Exit status: 0 ")) << command.name;
  }
}

// A table of the manual: a | in a cell would begin another one. And no sentence is another
// command's.
TEST(CommandLine, TheVocabularyIsATableAndSaysWhatEachCommandMeans) {
  const std::string all = vocabulary_markdown();
  std::istringstream lines(all);
  for (std::string line; std::getline(lines, line);) {
    size_t ends = 0;
    for (size_t i = 0; i < line.size(); ++i)
      ends += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
    EXPECT_EQ(ends, 4u) << line;
  }
  for (const Command& command : commands())
    for (const Option& option : command.options)
      EXPECT_TRUE(all.contains("| " + first_sentence(option.help) + " |"))
          << command.name << " " << option.name;
}

}  // namespace
}  // namespace assay

// Sub-commands and options, declared once. Parsing (parse.cc), help and the manual's reference
// (help.cc) all read these tables; the tables themselves are in commands.cc.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace assay {

struct Option {
  std::string_view name;      // "--on"
  std::string_view value;     // "TARGET,..."; "" for a switch. A trailing ",..." takes a list;
                              // "FLAG..." can be given again, and commas are part of it
  std::string_view fallback;  // what holds without it; "" for nothing
  std::string help;           // one or two sentences
  std::string_view group{};   // the heading that it stands under in help
  // Of a list: items may have commas of their own, so whoever reads them takes them apart.
  bool has_own_commas = false;

  bool is_list() const { return value.ends_with(",..."); }
  bool is_repeated() const { return value.ends_with("..."); }
  bool is_switch() const { return value.empty(); }
};

// Options of one subject, as help and the manual's reference show them.
struct OptionGroup {
  std::string_view title;
  std::vector<Option> options;
};
// All of them, each with its group's title.
std::vector<Option> in_groups(std::vector<OptionGroup> groups);

struct Positional {
  std::string_view name;  // "PATH..." takes several
  std::string help;
  bool required = true;

  bool is_list() const { return name.ends_with("..."); }
};

// What the command line said, checked against the tables: required positionals are there, options
// have their fallback where not given.
class Arguments {
 public:
  const std::vector<std::string>& positional(std::string_view name) const;
  const std::vector<std::string>& list(std::string_view option) const;
  const std::string& text(std::string_view option) const;  // "" when not given and no fallback
  bool given(std::string_view option) const;
  bool typed(std::string_view option) const;  // not only its fallback

 private:
  friend Result<struct ParsedLine> parse_command_line(std::span<const char* const> arguments);
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::set<std::string, std::less<>> typed_;
};

class Output;

// What a command's exit statuses mean. 130, interrupted, and 2, or `three` where there is one:
// assay could not work, are the same for all.
struct ExitStatuses {
  std::string_view zero;
  std::string_view one;      // "": it has none
  std::string_view two;      // what is one, too; "": nothing
  std::string_view four{};   // --spend ended it; "": it has none
  std::string_view three{};  // of `grade` alone, whose statuses are those of another tool's
};
// "0 every attempt passed; 1 ...; 2 ...; 130 interrupted".
std::string in_words(const ExitStatuses& statuses);

// A command line that can be typed as it stands, at the end of help.
struct Example {
  std::string_view line;
  std::string_view what;  // it does
};

struct Command {
  std::string_view name;
  std::string_view summary;      // one line, for the list of commands
  std::string_view description;  // paragraphs, for its own help
  std::vector<Positional> positionals;
  std::vector<Option> options;
  ExitStatuses statuses;
  std::vector<Example> examples;
  // Returns the exit status. An Error is printed by main and exits with 2, or `three` where the
  // command has it (130 when interrupted).
  Result<int> (*run)(const Arguments& arguments, Output& output);
};

std::span<const Command> commands();
const Command* find_command(std::string_view name);

// One parsed command line.
struct ParsedLine {
  enum class Kind { run, help, reference, vocabulary, version };
  Kind kind = Kind::help;
  const Command* command = nullptr;  // for help: null is assay's own
  Arguments arguments;
};

// Fails on anything the tables do not know, with "did you mean" and where to look.
Result<ParsedLine> parse_command_line(std::span<const char* const> arguments);

// What --until and --mode can be.
std::vector<std::string> until_words();
std::vector<std::string> mode_words();

std::string help_text(const Command* command);
// The manual's reference: every command and option, as Markdown.
std::string reference_markdown();
// The manual's table of all words of the command line.
std::string vocabulary_markdown();

// "Up to here. Not this." -> "Up to here".
std::string first_sentence(std::string_view text);

// What --lang can be of what models write.
std::vector<std::string> write_languages();

// Shells that `completion` has a script for.
std::vector<std::string> shell_words();

// The commands' functions, one file each.
Result<int> run_command(const Arguments& arguments, Output& output);
Result<int> write_command(const Arguments& arguments, Output& output);
Result<int> tune_command(const Arguments& arguments, Output& output);
Result<int> grade_command(const Arguments& arguments, Output& output);
Result<int> watch_command(const Arguments& arguments, Output& output);
Result<int> list_command(const Arguments& arguments, Output& output);
Result<int> serve_command(const Arguments& arguments, Output& output);
Result<int> show_command(const Arguments& arguments, Output& output);
Result<int> phases_command(const Arguments& arguments, Output& output);
Result<int> report_command(const Arguments& arguments, Output& output);
Result<int> compare_command(const Arguments& arguments, Output& output);
Result<int> merge_command(const Arguments& arguments, Output& output);
Result<int> receipt_command(const Arguments& arguments, Output& output);
Result<int> submit_command(const Arguments& arguments, Output& output);
Result<int> completion_command(const Arguments& arguments, Output& output);
Result<int> doctor_command(const Arguments& arguments, Output& output);

}  // namespace assay

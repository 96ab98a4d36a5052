#include <CLI/CLI.hpp>
#include <algorithm>
#include <ranges>
#include <set>

#include "base/rows.h"
#include "base/words.h"
#include "cli/command.h"

namespace assay {
namespace {

std::unexpected<Error> usage_error(const std::string& message, const Command* command) {
  std::string help = command ? "assay " + std::string(command->name) + " --help" : "assay --help";
  return error(Code::invalid_input, message, "`" + help + "` shows what there is");
}

std::unexpected<Error> unknown_command(const std::string& name) {
  std::vector<std::string> known = names_of(commands());
  if (name.starts_with('-')) known = {"--help", "--version"};
  return usage_error("assay has no command '" + name + "'" + suggestion(name, known), nullptr);
}

// A list's is split as one that is typed.
void add_fallback(const Option& option, std::vector<std::string>& given) {
  if (option.fallback.empty()) return;
  if (!option.is_list() || option.has_own_commas)
    given.emplace_back(option.fallback);
  else
    for (const auto part : std::views::split(option.fallback, ','))
      given.emplace_back(part.begin(), part.end());
}

// CLI11 names the option first: "--on: 1 required TEXT missing".
std::string without_value(const CLI::ParseError& problem, const Command& command) {
  for (const Option& option : command.options)
    if (!option.is_switch() && std::string_view(problem.what()).starts_with(option.name))
      return std::string(option.name) + " needs a value: " + std::string(option.value);
  return problem.what();
}

std::string unknown_option(const std::string& word, const Command& command) {
  std::string typed = word.substr(0, word.find('='));
  std::vector<std::string> known{"--help"};
  for (const Option& option : command.options) known.emplace_back(option.name);
  return "`assay " + std::string(command.name) + "` has no option '" + typed + "'" +
         did_you_mean(typed, known);
}

}  // namespace

const std::vector<std::string>& Arguments::positional(std::string_view name) const {
  return list(name);
}

const std::vector<std::string>& Arguments::list(std::string_view option) const {
  static const std::vector<std::string> kNone;
  auto found = values_.find(option);
  return found == values_.end() ? kNone : found->second;
}

const std::string& Arguments::text(std::string_view option) const {
  static const std::string kNone;
  const auto& values = list(option);
  return values.empty() ? kNone : values.front();
}

bool Arguments::given(std::string_view option) const { return values_.contains(option); }

bool Arguments::typed(std::string_view option) const { return typed_.contains(option); }

Result<ParsedLine> parse_command_line(std::span<const char* const> arguments) {
  ParsedLine line;
  if (arguments.empty()) return line;
  std::string first = arguments[0];
  if (first == "--help" || first == "-h" || first == "help") {
    if (first != "help" || arguments.size() == 1) return line;
    std::string topic = arguments[1];
    // Not listed: the manual is made with these.
    if (topic == "--markdown") line.kind = ParsedLine::Kind::reference;
    if (topic == "--vocabulary") line.kind = ParsedLine::Kind::vocabulary;
    line.command = find_command(topic);
    if (!line.command && line.kind == ParsedLine::Kind::help) return unknown_command(topic);
    return line;
  }
  if (first == "--version") {
    line.kind = ParsedLine::Kind::version;
    return line;
  }
  line.command = find_command(first);
  if (!line.command) return unknown_command(first);
  const Command& command = *line.command;

  CLI::App app;
  app.set_help_flag("");
  bool help = false;
  app.add_flag("-h,--help", help);
  std::map<std::string, bool, std::less<>> switches;
  auto& values = line.arguments.values_;
  for (const Option& option : command.options) {
    std::string name(option.name);
    if (option.is_switch())
      app.add_flag(name, switches[name])->disable_flag_override();
    else if (option.is_list() && !option.has_own_commas)
      app.add_option(name, values[name])->delimiter(',')->allow_extra_args(false)->take_all();
    else if (option.is_repeated())
      app.add_option(name, values[name])->allow_extra_args(false)->take_all();
    else
      app.add_option(name, values[name])->expected(1)->allow_extra_args(false);
  }
  // A list takes all words that are left, a single positional exactly one.
  std::map<std::string, std::string, std::less<>> singles;
  for (const Positional& positional : command.positionals) {
    std::string name(positional.name);
    if (positional.is_list())
      app.add_option(name, values[name]);
    else
      app.add_option(name, singles[name]);
  }
  std::vector<std::string> words(arguments.begin() + 1, arguments.end());
  std::set<std::string_view> seen;
  for (const std::string& word : words) {
    if (word == "--") break;
    if (!word.starts_with("--") || word == "--help") continue;
    std::string_view typed = std::string_view(word).substr(0, word.find('='));
    auto option = std::ranges::find(command.options, typed, &Option::name);
    if (option == command.options.end())
      return usage_error(unknown_option(word, command), &command);
    if (option->is_switch() && typed.size() != word.size())
      return usage_error(std::string(typed) + " takes no value", &command);
    if (!seen.insert(option->name).second && !option->is_repeated())
      return usage_error(std::string(typed) + " is given twice", &command);
    line.arguments.typed_.emplace(typed);
  }
  try {
    std::ranges::reverse(words);  // CLI11 takes them from the back
    app.parse(words);
  } catch (const CLI::ParseError& problem) {
    return usage_error(without_value(problem, command), &command);
  }
  if (help) return line;
  for (const auto& [name, on] : switches)
    if (on) values[name];
  for (const auto& [name, word] : singles)
    if (!word.empty()) values[name] = {word};
  for (const Option& option : command.options) {
    if (option.is_switch()) continue;
    auto& given = values[std::string(option.name)];
    std::erase(given, "");
    bool is_typed = line.arguments.typed_.contains(option.name);
    // CLI11 lets a list that ends with a comma go on with whatever comes next.
    bool took_option =
        option.is_list() && std::ranges::any_of(given, [&](const std::string& word) {
          return std::ranges::find(command.options, word, &Option::name) != command.options.end();
        });
    if (is_typed && (given.empty() || took_option))
      return usage_error(std::string(option.name) + " needs a value: " + std::string(option.value),
                         &command);
    if (given.empty()) add_fallback(option, given);
    if (given.empty()) values.erase(std::string(option.name));
  }
  for (const Positional& positional : command.positionals)
    if (positional.required && values[std::string(positional.name)].empty())
      return usage_error("`assay " + std::string(command.name) + "` needs " +
                             std::string(positional.name) + ": " + std::string(positional.help),
                         &command);
  line.kind = ParsedLine::Kind::run;
  return line;
}

}  // namespace assay

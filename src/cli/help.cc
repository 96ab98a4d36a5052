#include <fmt/format.h>

#include <algorithm>

#include "cli/command.h"

namespace assay {
namespace {

constexpr size_t kWidth = 88;

// Breaks text at spaces; the first line begins at column `column`, further ones are indented to it.
std::string wrap(std::string_view text, size_t column) {
  std::string result;
  size_t at = column;
  while (!text.empty()) {
    size_t end = std::min(text.find_first_of(" \n"), text.size());
    std::string_view word = text.substr(0, end);
    if (at > column && at + 1 + word.size() > kWidth) {
      result += "\n" + std::string(column, ' ');
      at = column;
    } else if (at > column) {
      result += ' ';
      ++at;
    }
    result += word;
    at += word.size();
    bool paragraph = end < text.size() && text[end] == '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
    if (paragraph) {
      result += "\n" + std::string(column, ' ');
      at = column;
    }
  }
  return result;
}

std::string left_side(const Option& option) {
  return option.is_switch() ? std::string(option.name)
                            : fmt::format("{} {}", option.name, option.value);
}

std::string right_side(const Option& option) {
  std::string text = option.help;
  if (!option.fallback.empty()) text += fmt::format(" [{}]", option.fallback);
  return text;
}

std::string usage(const Command& command) {
  std::string line = fmt::format("assay {}", command.name);
  for (const Positional& positional : command.positionals)
    line += positional.required ? fmt::format(" {}", positional.name)
                                : fmt::format(" [{}]", positional.name);
  if (!command.options.empty()) line += " [OPTION]...";
  return line;
}

std::string whole(const Command& command) {
  return fmt::format("{}\n\nExit status: {}.", command.description, in_words(command.statuses));
}

struct Entry {
  std::string left;
  std::string right;
};

struct Section {
  std::string_view title;  // "": the first, which needs none
  std::vector<Entry> entries;
};

// What can be written behind the command: positionals, then the options of each group.
std::vector<Section> sections(const Command& command) {
  std::vector<Section> result{{}};
  for (const Positional& positional : command.positionals)
    result.back().entries.push_back({std::string(positional.name), positional.help});
  for (const Option& option : command.options) {
    if (option.group != result.back().title) result.push_back({option.group, {}});
    result.back().entries.push_back({left_side(option), right_side(option)});
  }
  result.back().entries.push_back({"--help", "print this text"});
  if (result.front().entries.empty()) result.erase(result.begin());
  return result;
}

std::string columns(const std::vector<Section>& list) {
  size_t width = 0;
  for (const Section& section : list)
    for (const Entry& entry : section.entries) width = std::max(width, entry.left.size());
  std::string text;
  for (const Section& section : list) {
    if (&section != &list.front()) text += "\n";
    if (!section.title.empty()) text += fmt::format("{}:\n", section.title);
    for (const Entry& entry : section.entries)
      text += fmt::format("  {:<{}}  {}\n", entry.left, width, wrap(entry.right, width + 4));
  }
  return text;
}

std::string examples(const Command& command) {
  std::string text = "\nExamples:\n";
  for (const Example& example : command.examples)
    text += fmt::format("  {}\n      {}\n", example.line, wrap(example.what, 6));
  return text;
}

}  // namespace

std::string in_words(const ExitStatuses& statuses) {
  std::string text = fmt::format("0 {}; ", statuses.zero);
  if (!statuses.one.empty()) text += fmt::format("1 {}; ", statuses.one);
  if (statuses.three.empty()) {
    text += statuses.two.empty() ? "2 " : fmt::format("2 {}, or ", statuses.two);
    text += "assay could not work; ";
  } else {
    text += fmt::format("2 {}; 3 {}, or assay could not work; ", statuses.two, statuses.three);
  }
  if (!statuses.four.empty()) text += fmt::format("4 {}; ", statuses.four);
  return text + "130 interrupted";
}

std::vector<Option> in_groups(std::vector<OptionGroup> groups) {
  std::vector<Option> options;
  for (OptionGroup& group : groups)
    for (Option& option : group.options) {
      option.group = group.title;
      options.push_back(std::move(option));
    }
  return options;
}

std::string first_sentence(std::string_view text) {
  return std::string(text.substr(0, std::min(text.find(". "), text.find(';'))));
}

std::string help_text(const Command* command) {
  if (command)
    return fmt::format("usage: {}\n\n{}\n\n{}{}", usage(*command), wrap(whole(*command), 0),
                       columns(sections(*command)), examples(*command));
  Section list;
  for (const Command& known : commands())
    list.entries.push_back({std::string(known.name), std::string(known.summary)});
  return "usage: assay COMMAND [ARGUMENT]...\n\n"
         "Judges kernels for machine learning: whether they are right, and how fast.\n\n" +
         columns({list}) + examples(commands().front()) +
         "\n`assay COMMAND --help` explains one; `assay --version` prints the version.\n";
}

std::string reference_markdown() {
  std::string text;
  for (const Command& command : commands()) {
    text += fmt::format("### assay {}\n\n    {}\n\n{}\n\n", command.name, usage(command),
                        whole(command));
    for (const Section& section : sections(command)) {
      if (!section.title.empty()) text += fmt::format("**{}**\n\n", section.title);
      for (const Entry& entry : section.entries)
        text += fmt::format("- `{}`: {}\n", entry.left, entry.right);
      text += "\n";
    }
    text += "**Examples**\n\n";
    for (const Example& example : command.examples)
      text += fmt::format("- `{}`: {}\n", example.line, example.what);
    text += "\n";
  }
  text.pop_back();
  return text;
}

}  // namespace assay

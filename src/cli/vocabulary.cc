// The manual's table of all words of the command line, made of the tables that have them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <utility>

#include "author/author.h"
#include "base/rows.h"
#include "base/words.h"
#include "cli/command.h"
#include "cli/list_kinds.h"
#include "report/format.h"
#include "workload/source.h"

namespace assay {
namespace {

// Within a table a | ends a cell, also in `code`.
std::string cell(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string vocabulary_row(std::string_view what, std::string_view word, std::string_view meaning) {
  return fmt::format("| {} | {} | {} |\n", cell(what), cell(word), cell(meaning));
}

std::string in_code(std::string_view word) { return fmt::format("`{}`", word); }

template <class Table>
std::string titled_rows(std::string_view what, const Table& table) {
  std::string text;
  for (const auto& row : table) text += vocabulary_row(what, in_code(row.name), row.title);
  return text;
}

std::string option_row(const Option& option, const std::vector<std::string_view>& takers) {
  std::string word(option.name);
  if (!option.is_switch()) word += fmt::format(" {}", option.value);
  return vocabulary_row(fmt::format("option of {}", fmt::join(takers, ", ")), in_code(word),
                        first_sentence(option.help));
}

// An option once for each thing that it says, with all that take it so.
std::string option_rows() {
  std::string text;
  std::set<std::pair<std::string_view, std::string>> said;
  for (const Command& command : commands()) {
    for (const Option& option : command.options) {
      const std::string meaning = first_sentence(option.help);
      if (!said.emplace(option.name, meaning).second) continue;
      std::vector<std::string_view> takers;
      for (const Command& each : commands())
        if (const Option* same = find_row(each.options, option.name);
            same && first_sentence(same->help) == meaning)
          takers.push_back(each.name);
      text += option_row(option, takers);
    }
  }
  return text;
}

std::string format_rows() {
  std::string text;
  for (const Format& format : formats()) {
    std::vector<std::string_view> takers;
    if (format.report) takers.push_back("report");
    if (format.comparison) takers.push_back("compare");
    text += vocabulary_row(fmt::format("format of {}", fmt::join(takers, ", ")),
                           in_code(format.name), format.title);
  }
  return text;
}

}  // namespace

std::string vocabulary_markdown() {
  std::string text = vocabulary_row("what", "word", "meaning") + "|---|---|---|\n";
  text += titled_rows("source", sources());
  text += vocabulary_row("source", in_code("SUITE"), "the name of a suite that comes with assay");
  text += titled_rows("author", author_types());
  for (const Command& command : commands())
    text += vocabulary_row("verb", in_code(fmt::format("assay {}", command.name)), command.summary);
  text += titled_rows("noun of list", list_kinds());
  text += option_rows();
  text += format_rows();
  for (const auto& [status, meaning] :
       {std::pair{"0", "all is well: everything passed, or was done"},
        {"1", "something did not pass: it was rejected, failed, is slower, proves nothing"},
        {"2", "something could not be judged here, or assay could not work; beats 1"},
        {"130", "interrupted; the same command goes on"}})
    text += vocabulary_row("exit status", status, meaning);
  return text;
}

}  // namespace assay

#include "workload/choices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "op/expand.h"

namespace assay {

Result<std::vector<Choice>> read_choices(
    const Grammar& grammar, const Piece& arguments,
    const std::function<Status(const Piece& argument, const std::string& key)>& check) {
  std::vector<Choice> choices;
  if (arguments.text.empty()) return choices;
  size_t combinations = 1;
  for (const Piece& argument : arguments.split(',')) {
    const size_t equals = argument.text.find('=');
    const std::string key(argument.text.substr(0, equals));
    ASSAY_TRY(check(argument, key));
    if (equals == std::string_view::npos)
      return grammar.wrong(argument, fmt::format("'{0}' has no value; write {0}=...", key));
    if (std::ranges::find(choices, key, &Choice::first) != choices.end())
      return grammar.wrong(argument, fmt::format("'{0}' is given twice; write {0}=A|B", key));
    Choice choice{key, {}};
    for (const Piece& alternative : argument.from(equals + 1).split('|')) {
      ASSAY_ASSIGN(auto values, read_sizes(grammar, {.name = key}, alternative));
      choice.second.insert(choice.second.end(), values.begin(), values.end());
    }
    combinations *= choice.second.size();
    if (combinations > kMostOpWorkloads)
      return grammar.wrong(argument,
                           fmt::format("that are more than {} workloads", kMostOpWorkloads));
    choices.push_back(std::move(choice));
  }
  return choices;
}

void for_each_choice(
    const std::vector<Choice>& choices,
    const std::function<void(std::vector<std::pair<std::string, int64_t>>)>& take) {
  std::vector<size_t> counts;
  for (const Choice& choice : choices) counts.push_back(choice.second.size());
  for_each_combination(counts, [&](const std::vector<size_t>& places) {
    std::vector<std::pair<std::string, int64_t>> numbers;
    for (size_t i = 0; i < choices.size(); ++i)
      numbers.emplace_back(choices[i].first, choices[i].second[places[i]]);
    take(std::move(numbers));
  });
}

std::string in_brackets(const std::vector<std::pair<std::string, int64_t>>& numbers) {
  std::vector<std::string> words;
  for (const auto& [key, value] : numbers) words.push_back(fmt::format("{}={}", key, value));
  return words.empty() ? "" : fmt::format("[{}]", fmt::join(words, ","));
}

std::string in_name(const std::vector<std::pair<std::string, int64_t>>& numbers) {
  std::string name;
  for (const auto& [key, value] : numbers) name += fmt::format("_{}{}", key, value);
  return name;
}

}  // namespace assay

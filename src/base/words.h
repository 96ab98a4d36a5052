// Closed lists of words: the enumerations that appear in the store, in JSON and in reports.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// One enumerator and the word it is written as. Each enumeration has one table of these.
template <class Enum>
struct Word {
  Enum value;
  std::string_view word;
};

template <class Enum, size_t N>
constexpr std::string_view to_word(const Word<Enum> (&table)[N], Enum value) {
  for (const auto& entry : table)
    if (entry.value == value) return entry.word;
  return "?";  // unreachable for a complete table; a unit test walks each one
}

template <class Enum, size_t N>
constexpr std::optional<Enum> from_word(const Word<Enum> (&table)[N], std::string_view word) {
  for (const auto& entry : table)
    if (entry.word == word) return entry.value;
  return std::nullopt;
}

// The words of a table, for those who list them.
template <class Enum, size_t N>
std::vector<std::string> words_of(const Word<Enum> (&table)[N]) {
  std::vector<std::string> words;
  for (const auto& entry : table) words.emplace_back(entry.word);
  return words;
}

// The known word nearest to what was typed, if it is near enough to be a slip.
std::optional<std::string> nearest_word(std::string_view typed, std::span<const std::string> known);

// " (did you mean 'local'?)" or, with nothing near, "". A known word may be a file's name: what a
// terminal would obey is spelled.
std::string did_you_mean(std::string_view typed, std::span<const std::string> known);

// " (did you mean 'local'?)" or, with nothing near, "; known are: a, b, c".
std::string suggestion(std::string_view typed, std::span<const std::string> known);

// "a, b or c".
std::string one_of(std::span<const std::string> words);

}  // namespace assay

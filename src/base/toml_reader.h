// Reads one TOML table and remembers the first thing that is wrong with it, with file, line, column
// and what to write instead.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/words.h"

namespace assay {

class TomlReader {
 public:
  // The first problem found, by any reader of one file.
  struct Problem {
    std::string path;
    std::string example{};  // what to do about a key that is missing
    std::string message{};
    std::string next{};
  };

  // `what` names the table in messages: "a target". `problem` outlives the reader.
  TomlReader(Problem& problem, const toml::table& table, std::string what)
      : problem_(problem), table_(table), what_(std::move(what)) {}

  bool has(const char* key) const { return table_.contains(key); }

  // "" when it is absent or wrong.
  std::string text(const char* key, bool required = false);
  // Each not empty.
  std::vector<std::string> texts(const char* key);
  // At least one, and each as `kind` wants it.
  struct ListOf {
    std::string_view noun;     // "flag"
    std::string_view example;  // the key with a good value
    Status (*check)(const std::string& text);
  };
  std::vector<std::string> texts(const char* key, const ListOf& kind, bool required = false);
  // Every key of the table with its string, which may be empty.
  std::vector<std::pair<std::string, std::string>> all_texts();
  // Whole numbers and strings, each as text. Whether one by itself is a list of one.
  enum class Single { no, too };
  std::vector<std::string> items(const char* key, Single single = Single::no);
  // Whether the value is a list.
  bool is_list(const char* key) const;
  // false where it is absent.
  bool boolean(const char* key);
  std::vector<std::string> keys() const;
  // Greater than zero, and finite.
  std::optional<double> number(const char* key, bool required = false);
  std::optional<TomlReader> table(const char* key, bool required = false);
  std::vector<TomlReader> tables(const char* key);

  template <class Enum, size_t N>
  std::optional<Enum> word(const char* key, const Word<Enum> (&words)[N], bool required = false) {
    std::string written = text(key, required);
    if (written.empty()) return std::nullopt;
    if (auto value = from_word(words, written)) return value;
    std::vector<std::string> known = words_of(words);
    fail(key, fmt::format("'{}' is no {}{}", written, key, suggestion(written, known)),
         fmt::format("write one of: {}", fmt::join(known, ", ")));
    return std::nullopt;
  }

  // Refuses keys that are none: a typo must not be taken for a default.
  void only(const std::vector<std::string>& known);

  // Says that the value of a key is wrong.
  void fail(const char* key, const std::string& message, const std::string& next);
  // The first problem of the whole file, if there was one.
  Status status() const;

 private:
  const toml::node* find(const char* key, bool required);
  void fail(const toml::node& node, const std::string& message, const std::string& next);

  Problem& problem_;
  const toml::table& table_;
  std::string what_;
};

// The TOML text as a table. `path` and `what` it is, "a target", are for messages.
Result<toml::table> parse_toml(const std::string& path, std::string_view text,
                               std::string_view what);

}  // namespace assay

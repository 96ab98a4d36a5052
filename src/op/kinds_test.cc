// What `make prove` verifies of operations, tests/operations/kinds.txt: that it leaves nothing out.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "built.h"
#include "op/expand.h"

namespace assay {
namespace {

std::string text_of_kinds() {
  std::ifstream file(std::string(built::kSourceFolder) + "/tests/operations/kinds.txt");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

bool is_prime(int64_t number) {
  for (int64_t each = 2; each * each <= number; ++each)
    if (number % each == 0) return false;
  return number > 1;
}

// Keys whose words say what is computed, or of which type, or how it lies.
std::vector<const OpKey*> worded_keys(const Operation& operation) {
  std::vector<const OpKey*> keys;
  for (const OpKey& key : operation.keys)
    if (!key.words.empty() && key.name != kDynamicKey) keys.push_back(&key);
  return keys;
}

// What was seen of one kind: each type with each word of another key, with sizes that are known or
// not, and with sizes that are odd primes.
struct SeenKind {
  std::set<std::string> pairs, primes;
};

std::string pair_of(const OpKey& one, std::string_view word, const OpKey& other,
                    std::string_view other_word, std::string_view dynamic) {
  return fmt::format("{}={} {}={} dynamic={}", one.name, word, other.name, other_word, dynamic);
}

TEST(Kinds, EachTypeIsThereWithEachLayoutAndEachWord) {
  const std::string text = text_of_kinds();
  ASSERT_FALSE(text.empty());
  auto sweep = sweep_op("op:*[file=kinds]",
                        [&](const std::string&, bool) { return Result<std::string>(text); });
  ASSERT_TRUE(sweep) << sweep.error().describe();
  std::map<std::string_view, SeenKind> seen;
  for (const OpWorkload& each : sweep->workloads) {
    SeenKind& kind = seen[each.operation->name];
    const auto keys = worded_keys(*each.operation);
    const std::string dynamic = each.arguments.word(kDynamicKey);
    for (size_t i = 0; i < keys.size(); ++i)
      for (size_t j = i; j < keys.size(); ++j)
        kind.pairs.insert(pair_of(*keys[i], each.arguments.word(keys[i]->name), *keys[j],
                                  each.arguments.word(keys[j]->name), dynamic));
    bool has_prime = false;
    for (const OpKey& key : each.operation->keys)
      if (key.words.empty() && !key.is_quiet) {
        const int64_t size = each.arguments.number(key.name);
        has_prime |= size > 2 && is_prime(size);
      }
    if (has_prime) kind.primes.insert(each.arguments.word("dtype"));
  }
  for (const Operation& operation : operations()) {
    const SeenKind& kind = seen[operation.name];
    const auto keys = worded_keys(operation);
    for (const std::string_view dynamic : {"no", "all"})
      for (size_t i = 0; i < keys.size(); ++i)
        for (size_t j = i; j < keys.size(); ++j)
          for (const std::string_view word : keys[i]->words)
            for (const std::string_view other : keys[j]->words) {
              if (i == j && word != other) continue;
              const std::string pair = pair_of(*keys[i], word, *keys[j], other, dynamic);
              EXPECT_TRUE(kind.pairs.contains(pair)) << operation.name << ": " << pair;
            }
    for (const OpKey& key : operation.keys)
      if (key.name == "dtype")
        for (const std::string_view word : key.words)
          EXPECT_TRUE(kind.primes.contains(std::string(word)))
              << operation.name << ": no prime size with " << word;
  }
}

// Of the corpora: that a judge which takes everything for right is found out by each kind.
TEST(Kinds, EachHasAMistakeThatIsToBeRejected) {
  std::set<std::string> wrong;
  const std::filesystem::path corpus =
      std::filesystem::path(built::kSourceFolder) / "tests/corpus/operations";
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    std::ifstream file(entry.path() / "expect.toml");
    std::stringstream stream;
    stream << file.rdbuf();
    const std::string text = stream.str();
    if (!text.contains("verdict = \"rejected\"")) continue;
    constexpr std::string_view kPrefix = "\"op:";
    for (size_t at = text.find(kPrefix); at != std::string::npos; at = text.find(kPrefix, at)) {
      at += kPrefix.size();
      wrong.insert(text.substr(at, text.find_first_of("[\"", at) - at));
    }
  }
  for (const Operation& operation : operations())
    EXPECT_TRUE(wrong.contains(std::string(operation.name)))
        << operation.name << ": plant a mistake in tests/corpus/operations/";
}

}  // namespace
}  // namespace assay

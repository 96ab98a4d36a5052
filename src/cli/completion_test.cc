#include "cli/completion.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace assay {
namespace {

std::vector<std::string> words(const std::vector<std::string>& typed) {
  std::vector<std::string> result;
  for (const Proposal& proposal : complete(typed).words) result.push_back(proposal.word);
  return result;
}

bool offers(const std::vector<std::string>& typed, const std::string& word) {
  auto found = words(typed);
  return std::ranges::find(found, word) != found.end();
}

using Words = std::vector<std::string>;

TEST(Completion, CommandsAndOptionsComeFromTheTables) {
  for (const Command& command : commands()) {
    EXPECT_TRUE(offers({""}, std::string(command.name)));
    EXPECT_TRUE(offers({"help", ""}, std::string(command.name)));
    for (const Option& option : command.options)
      EXPECT_TRUE(offers({std::string(command.name), "--"}, std::string(option.name)));
  }
  EXPECT_EQ(words({"rep"}), Words{"report"});
  EXPECT_EQ(words({"report", "x", "--form"}), Words{"--format"});
  EXPECT_TRUE(words({"nothing", ""}).empty());
}

// Who adds an option says here what its value can be.
TEST(Completion, EveryValueInTheTablesIsKnown) {
  for (const Command& command : commands()) {
    for (const Option& option : command.options)
      if (!option.is_switch()) {
        EXPECT_TRUE(values_named(command, option.value, {})) << command.name << option.name;
      }
    for (const Positional& positional : command.positionals)
      EXPECT_TRUE(values_named(command, positional.name, {})) << command.name << positional.name;
  }
}

TEST(Completion, ValuesOfOptions) {
  EXPECT_EQ(words({"report", "run", "--format", "j"}), (Words{"json", "jsonl", "junit"}));
  EXPECT_EQ(words({"report", "--format=c"}),
            (Words{"--format=csv", "--format=classic", "--format=cutlass", "--format=commands"}));
  EXPECT_EQ(words({"compare", "a", "b", "--format", ""}),
            (Words{"terminal", "md", "json", "junit", "html", "summary"}));
  EXPECT_EQ(words({"run", "--by", "xl"}), Words{"xla"});
  EXPECT_EQ(words({"run", "--by", "iree,xl"}), Words{"iree,xla"}) << "a list goes on";
  EXPECT_EQ(words({"run", "--by", "=", "xl"}), Words{"xla"}) << "as bash splits it";
  EXPECT_EQ(words({"run", "--by", "="}),
            (Words{"eager", "inductor", "xla", "onnxruntime", "iree", "iree-stablehlo",
                   "iree-torch-mlir", "iree@NAME", "file:PATH", "reference"}));
  EXPECT_EQ(words({"run", "--cache", ""}), (Words{"hot", "cold", "stream"}));
  EXPECT_EQ(words({"write", "--search", "b"}), (Words{"best-of", "beam"}));
  EXPECT_EQ(words({"write", "--until", ""}), (Words{"answer", "verify"}));
  EXPECT_EQ(words({"write", "--model", "op"}), Words{"openai:"});
  EXPECT_TRUE(complete(Words{"run", "--policy", ""}).files);
  EXPECT_TRUE(words({"run", "--jobs", ""}).empty());
  EXPECT_FALSE(complete(Words{"run", "--jobs", ""}).files);
}

TEST(Completion, PositionalsByTheirPlace) {
  EXPECT_EQ(words({"list", "t"}), Words{"targets"});
  EXPECT_EQ(words({"list", "--limit", "3", "t"}), Words{"targets"});
  EXPECT_EQ(words({"list", "authors", ""}),
            (Words{"eager", "inductor", "xla", "onnxruntime", "iree", "iree-stablehlo",
                   "iree-torch-mlir", "iree@NAME", "file:PATH", "reference"}));
  EXPECT_TRUE(words({"list", "authors", "iree", ""}).empty());
  EXPECT_EQ(words({"list", "ops", "matv"}), Words{"matvec"});
  EXPECT_EQ(words({"list", "rules", "impos"}), Words{"impossible"});
  EXPECT_TRUE(complete(Words{"run", ""}).files);
  EXPECT_TRUE(complete(Words{"run", "a.py", "b.py", ""}).files);
  EXPECT_TRUE(complete(Words{"report", ""}).files);
  EXPECT_EQ(words({"completion", ""}), (Words{"bash", "zsh", "fish"}));
}

}  // namespace
}  // namespace assay

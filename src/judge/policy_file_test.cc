#include "judge/policy_file.h"

#include <gtest/gtest.h>

#include "fakes/memory_disk.h"

namespace assay {
namespace {

constexpr const char* kPolicy = R"(title = "T"
[check]
name = "theirs"
mode = "train"
seed = 42
trials = 5
[check.tolerance]
f32 = 1e-4
f16 = 1e-2
bf16 = 1e-2
f64 = 1e-5
)";

Result<PolicyFile> read(const std::string& text) {
  MemoryDisk disk;
  disk.files["/p.toml"] = text;
  return read_policy(disk, "/p.toml");
}

TEST(PolicyFile, SaysHowOthersCheck) {
  auto policy = read(kPolicy);
  ASSERT_TRUE(policy) << policy.error().describe();
  EXPECT_TRUE(policy->severities.empty());
  const auto& check = policy->check;
  ASSERT_TRUE(check);
  EXPECT_EQ(check->name, "theirs");
  EXPECT_EQ(check->mode, "train");
  EXPECT_EQ(check->seed, 42u);
  EXPECT_EQ(check->trials, 5);
  EXPECT_EQ(check->tolerance_at(Precision::f32), 1e-4);
  EXPECT_EQ(check->tolerance_at(Precision::f64), 1e-5);
}

TEST(PolicyFile, SaysWhatRulesDo) {
  auto policy = read("title = \"T\"\n[rules]\nlibrary = \"reject\"\nclocks = \"label\"\n");
  ASSERT_TRUE(policy) << policy.error().describe();
  EXPECT_FALSE(policy->check);
  EXPECT_EQ(effect_of(kLibrary, policy->severities), Effect::reject);
  EXPECT_EQ(effect_of(kClocks, policy->severities), Effect::label);
  EXPECT_EQ(effect_of(kInterference, policy->severities), Effect::undecided);
}

TEST(PolicyFile, WhatIsWrongWithRulesIsNamed) {
  const std::pair<const char*, const char*> expected[] = {
      {"wrong = \"label\"", "no key 'wrong'"},
      {"budget = \"label\"", "no key 'budget'"},
      {"clocks = \"loud\"", "'loud' is no clocks"},
      {"clocks = 1", "/p.toml:3"},
  };
  for (const auto& [line, what] : expected) {
    auto policy = read("title = \"T\"\n[rules]\n" + std::string(line) + "\n");
    ASSERT_FALSE(policy) << line;
    EXPECT_NE(policy.error().message.find(what), std::string::npos) << policy.error().message;
  }
}

TEST(PolicyFile, WhatIsWrongIsNamedWithItsPlace) {
  const std::pair<std::pair<const char*, const char*>, const char*> expected[] = {
      {{"title = \"T\"\n", ""}, "'title'"},
      {{"[check]", "[chek]"}, "no key 'chek'"},
      {{"mode = \"train\"", "mode = \"test\""}, "/p.toml:4"},
      {{"trials = 5", "trials = 5.5"}, "a whole number from 1 to 1000"},
      {{"trials = 5", "trials = 5000"}, "a whole number from 1 to 1000"},
      {{"seed = 42", "seed = -1"}, "/p.toml:5"},
      {{"f64 = 1e-5", ""}, "'f64'"},
      {{"f64 = 1e-5", "f8 = 1e-5"}, "no key 'f8'"},
      {{"f32 = 1e-4", "f32 = \"small\""}, "/p.toml:8"},
  };
  for (const auto& [change, what] : expected) {
    std::string text = kPolicy;
    text.replace(text.find(change.first), std::string_view(change.first).size(), change.second);
    auto check = read(text);
    ASSERT_FALSE(check) << text;
    EXPECT_NE(check.error().message.find(what), std::string::npos) << check.error().message;
  }
}

}  // namespace
}  // namespace assay

// The escape corpus: every attack of tests/escapes at every level that this machine gives, as root
// and as an ordinary user; and without a jail, where it must succeed, or the attack proves nothing.
#include <gtest/gtest.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "built.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

const std::string kCorpus = std::string(built::kSourceFolder) + "/tests/escapes";
constexpr int kUser = 65534;

std::vector<std::string> attacks() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kCorpus))
    if (entry.is_directory()) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

Json run(const std::string& level, int user, const std::string& attack, const std::string& more) {
  std::string command = std::string(built::kEscapeRunner) + " " + level + " " +
                        std::to_string(user) + " " + built::kLaunch + " " + built::kEscapes + "/" +
                        attack + more;
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> bytes;
  while (size_t size = fread(bytes.data(), 1, bytes.size(), pipe)) text.append(bytes.data(), size);
  pclose(pipe);
  Json seen = Json::parse(text, nullptr, false);
  EXPECT_TRUE(seen.is_object()) << command << " printed: " << text;
  return seen.is_object() ? seen : Json::object();
}

struct Held {
  const char* level;
  bool as_root;
};

using Parameter = std::tuple<std::string, Held>;
class Jail : public testing::TestWithParam<Parameter> {};

TEST_P(Jail, IsHeld) {
  const auto& [attack, held] = GetParam();
  if (held.as_root && geteuid() != 0) GTEST_SKIP() << "these tests do not run as root";
  toml::table expect = toml::parse_file(kCorpus + "/" + attack + "/expect.toml");
  bool freeze = expect["freeze"].value_or(false);
  int user = held.as_root ? 0 : geteuid() == 0 ? kUser : static_cast<int>(geteuid());
  Json seen = run(held.level, user, attack, freeze ? " freeze" : "");
  if (seen.contains("skip")) GTEST_SKIP() << held.level << ": " << seen["skip"];

  SCOPED_TRACE(seen.dump());
  std::string end = seen.value("end", "none");
  bool crashed =
      expect["may_crash"].value_or(false) && (end == "crashed" || end == "out_of_memory");
  EXPECT_TRUE(crashed || end == (freeze ? "stopped" : "answered"));
  EXPECT_EQ(seen["in_force"], held.level);
  bool gap = expect["gaps"].as_table() && expect["gaps"].as_table()->contains(held.level);
  if (!crashed) {
    EXPECT_EQ(seen["outcome"], gap ? "escaped" : "held") << "a gap is listed until it is closed";
  }
  EXPECT_FALSE(seen.contains("problem"));
  if (freeze) {
    EXPECT_EQ(seen["ran"], true) << "it proves nothing";
  }
  EXPECT_EQ(seen["survivors"], 0);
  EXPECT_EQ(seen["intact"], true);
  EXPECT_EQ(seen["nothing_planted"], true);
  EXPECT_EQ(seen["groups_left"], false);
  EXPECT_EQ(seen["folders_left"], false);
  EXPECT_EQ(seen["descriptors_same"], true);
}

class WithoutJail : public testing::TestWithParam<std::string> {};

TEST_P(WithoutJail, SucceedsWithoutAJail) {
  const std::string& attack = GetParam();
  toml::table expect = toml::parse_file(kCorpus + "/" + attack + "/expect.toml");
  bool as_root = expect["control_as"].value_or(std::string("user")) == "root";
  if (as_root && geteuid() != 0) GTEST_SKIP() << "needs root even without a jail";
  std::string more;
  if (expect["freeze"].value_or(false)) more += " freeze";
  if (expect["control_unsealed"].value_or(false)) more += " unsealed";
  Json seen = run("control",
                  as_root          ? 0
                  : geteuid() == 0 ? kUser
                                   : static_cast<int>(geteuid()),
                  attack, more);
  if (seen.contains("skip")) GTEST_SKIP() << seen["skip"];
  SCOPED_TRACE(seen.dump());
  if (expect.contains("control_sees")) {
    EXPECT_GT(seen["survivors"].get<int>(), 0);
    return;
  }
  if (auto why = expect["control_may_fail"].value<std::string>(); why && seen["outcome"] == "held")
    GTEST_SKIP() << "held here without a jail, too; as " << *why << ": " << seen["text"];
  EXPECT_EQ(seen["outcome"], "escaped");
}

std::string name_of(const testing::TestParamInfo<Parameter>& test) {
  const Held& held = std::get<1>(test.param);
  return std::get<0>(test.param) + "_" + held.level + (held.as_root ? "_root" : "_user");
}

INSTANTIATE_TEST_SUITE_P(Escape, Jail,
                         testing::Combine(testing::ValuesIn(attacks()),
                                          testing::Values(Held{"L3", true}, Held{"L2", true},
                                                          Held{"L2", false}, Held{"L1", true},
                                                          Held{"L1", false})),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Escape, WithoutJail, testing::ValuesIn(attacks()),
                         [](const auto& attack) { return attack.param; });

}  // namespace
}  // namespace assay

#include "verify/watched.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Watched, IsReadAsItIsSaid) {
  auto watched =
      read_watched(R"({"operations": [{"name": "addmm", "calls": 2}, {"name": "relu", "calls": 1}],
    "hidden": [{"error": "ImportError", "line": 3}]})");
  ASSERT_TRUE(watched);
  EXPECT_EQ(to_json(*watched), Json::parse(R"({
    "operations": [{"name": "addmm", "calls": 2}, {"name": "relu", "calls": 1}],
    "hidden": [{"error": "ImportError", "line": 3}]})"));
}

TEST(Watched, IsLabelledByWhatTorchComputes) {
  auto labels = [](const char* text) { return read_watched(text)->labels(); };
  using Labels = std::vector<std::string>;
  EXPECT_EQ(labels(R"({"operations": [], "hidden": []})"), Labels());
  EXPECT_EQ(labels(R"({"operations": [{"name": "mm", "calls": 1}], "hidden": []})"),
            Labels{"library"});
  EXPECT_EQ(
      labels(
          R"({"operations": [{"name": "mm", "calls": 1}], "hidden": [{"error": "OSError", "line": 9}]})"),
      (Labels{"library", "fallback"}));
  // What failed is replaced by something of its own.
  EXPECT_EQ(labels(R"({"operations": [], "hidden": [{"error": "OSError", "line": 9}]})"), Labels());
}

class Unsaid : public testing::TestWithParam<std::string> {};
TEST_P(Unsaid, IsNothing) { EXPECT_FALSE(read_watched(GetParam())); }
INSTANTIATE_TEST_SUITE_P(
    Watched, Unsaid,
    testing::Values(
        "", "[]", "7", R"({"operations": []})", R"({"operations": {}, "hidden": []})",
        R"({"operations": [], "hidden": {}})", R"({"operations": [7], "hidden": []})",
        R"({"operations": [{"name": "mm"}], "hidden": []})",
        R"({"operations": [{"name": 1, "calls": 1}], "hidden": []})",
        R"({"operations": [{"name": "mm", "calls": -1}], "hidden": []})",
        R"({"operations": [{"name": "mm", "calls": "1"}], "hidden": []})",
        R"({"operations": [{"name": "mm", "calls": 1e300}], "hidden": []})",
        R"({"operations": [{"name": "mm", "calls": 18446744073709551615}], "hidden": []})",
        R"({"operations": [], "hidden": [{"error": "E", "line": 18446744073709551615}]})",
        R"({"operations": [], "hidden": ["OSError"]})",
        R"({"operations": [], "hidden": [{"error": "OSError", "line": "9"}]})",
        R"({"operations": [], "hidden": [{"error": 1, "line": 9}]})",
        R"({"operations": [], "hidden": [["OSError", 1, 2]]})"));

TEST(Watched, HasNamesThatATerminalShows) {
  auto watched =
      read_watched(R"({"operations": [{"name": "\u001b[2J", "calls": 1}], "hidden": []})");
  ASSERT_TRUE(watched);
  EXPECT_FALSE(watched->operations[0].name.contains('\x1b'));
}

TEST(Watched, IsOfALimitedSize) {
  Json said{{"operations", Json::array()}, {"hidden", Json::array()}};
  for (int i = 0; i < 25; ++i) said["operations"].push_back({{"name", "mm"}, {"calls", 1}});
  EXPECT_FALSE(read_watched(dump_json(said)));
  said["operations"].erase(0);
  EXPECT_TRUE(read_watched(dump_json(said)));
  for (int i = 0; i < 9; ++i) said["hidden"].push_back({{"error", "E"}, {"line", i}});
  EXPECT_FALSE(read_watched(dump_json(said)));
}

}  // namespace
}  // namespace assay

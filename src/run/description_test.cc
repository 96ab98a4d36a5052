#include "run/description.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

Json sound() {
  return *parse_json(R"({
    "inputs": [{"shape": [2, 3], "dtype": "f32"}, {"scalar": "int", "value": "3"}],
    "outputs": [{"shape": [], "dtype": "i64"}, {"scalar": "none", "value": "None"}],
    "state": [{"name": "h", "shape": [4], "dtype": "f32"}],
    "mutated_inputs": [0],
    "passes": [{"name": "einsum", "changed": ["aten.einsum"]}],
    "fallbacks": ["small_real"],
    "parameters": {"count": 2, "bytes": 24}})",
                     "it");
}

TEST(Description, IsKept) { EXPECT_EQ(read_description(sound()), sound()); }

TEST(Description, WhatNobodyDocumentedIsNot) {
  Json more = sound();
  more["extra"] = 1;
  more["inputs"][0]["secret"] = "x";
  more["passes"][0]["secret"] = "x";
  more["parameters"]["secret"] = "x";
  EXPECT_EQ(read_description(more), sound());
}

TEST(Description, FilesOfTheHubAreThereOnlyWhenSomeWereRead) {
  EXPECT_EQ(read_hub_files(sound()), nullptr);
  Json some = sound();
  some["hub_files"] = Json::array();
  EXPECT_EQ(read_description(some), sound());
  some["hub_files"].push_back({{"name", "gpt2/config.json"}, {"sha256", "0"}});
  EXPECT_EQ((*read_description(some))["hub_files"], some["hub_files"]);
  EXPECT_EQ(read_hub_files(some), some["hub_files"]);
  some["hub_files"].push_back({{"name", "gpt2/config.json"}});
  EXPECT_FALSE(read_description(some));
  EXPECT_EQ(read_hub_files(some), nullptr);
  EXPECT_EQ(read_hub_files(nullptr), nullptr);
}

TEST(Description, ListsMayBeAbsentButThoseOfArguments) {
  auto least = read_description(Json{{"inputs", Json::array()}, {"outputs", Json::array()}});
  ASSERT_TRUE(least);
  EXPECT_EQ((*least)["state"], Json::array());
  EXPECT_TRUE((*least)["parameters"].is_null());
  EXPECT_FALSE(read_description(Json{{"inputs", Json::array()}}));
  EXPECT_FALSE(read_description(Json::array()));
}

TEST(Description, WhatIsNoneIsRefused) {
  const std::string long_text(513, 'x');
  const Json many = std::vector<int>(1025, 1);
  const std::pair<const char*, Json> wrong[] = {
      {"/inputs", 3},
      {"/inputs", many},
      {"/inputs/0", {{"shape", {2, 3}}}},
      {"/inputs/0/shape", "2x3"},
      {"/inputs/0/shape/0", -1},
      {"/inputs/0/shape/0", 1.5},
      {"/inputs/0/dtype", 32},
      {"/inputs/0/dtype", long_text},
      {"/inputs/1/value", 3},
      {"/outputs/0", nullptr},
      {"/state/0", {{"shape", {4}}, {"dtype", "f32"}}},
      {"/state/0/name", long_text},
      {"/mutated_inputs/0", -1},
      {"/mutated_inputs/0", 1024},
      {"/mutated_inputs", many},
      {"/passes/0/name", nullptr},
      {"/passes/0/changed", "aten.einsum"},
      {"/passes/0/changed", std::vector<std::string>(65, "x")},
      {"/passes/0/changed/0", long_text},
      {"/fallbacks", "small_real"},
      {"/fallbacks/0", 1},
      {"/parameters", 2},
      {"/parameters/bytes", -1},
      {"/parameters/count", "2"},
  };
  for (const auto& [where, value] : wrong) {
    Json forged = sound();
    forged[Json::json_pointer(where)] = value;
    EXPECT_FALSE(read_description(forged)) << where << " " << value;
  }
}

}  // namespace
}  // namespace assay

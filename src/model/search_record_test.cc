#include "model/search_record.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace assay {
namespace {

using Ids = std::vector<std::string>;

TEST(SearchPlaces, SearchesThatDifferByTheirProblemsHaveOnePlace) {
  EXPECT_TRUE(have_one_place(Ids{}));
  EXPECT_TRUE(have_one_place(Ids{"tour/level1/local/relu/gpt"}));
  EXPECT_TRUE(have_one_place(Ids{"tour/level1/local/relu/gpt", "tour/level1/local/softmax/gpt"}));
  for (const char* other : {"tour/level2/local/relu/gpt", "mine/level1/local/relu/gpt",
                            "tour/level1/a100/relu/gpt", "tour/level1/local/relu/claude"})
    EXPECT_FALSE(have_one_place(Ids{"tour/level1/local/relu/gpt", other})) << other;
  EXPECT_FALSE(have_one_place(Ids{"", "/", "a/b", "tour/level1/local"})) << "and nobody falls over";
}

TEST(SearchPlaces, AFolderIsTheProblemsNameOrTheId) {
  const SearchPlaces places{
      {"tour/level1/local/relu/gpt", {.is_flat = true, .problem_sha256 = "00"}},
      {"tour/level1/local/relu/claude", {}}};
  EXPECT_EQ(folder_of_search(places, "tour/level1/local/relu/gpt"), "relu");
  EXPECT_EQ(folder_of_search(places, "tour/level1/local/relu/claude"),
            "tour/level1/local/relu/claude");
  EXPECT_EQ(folder_of_search(places, "unknown"), "unknown");
  const SearchPlaces again = search_places_from_json(to_json(places));
  ASSERT_EQ(again.size(), 2u);
  EXPECT_TRUE(again.begin()->second.is_flat != again.rbegin()->second.is_flat);
  EXPECT_EQ(again.at("tour/level1/local/relu/gpt").problem_sha256, "00");
}

// Somebody has written into the run's file.
TEST(SearchPlaces, OfAnotherTypeAreLeftOut) {
  for (const char* text : {"null", "7", "[1]", R"("x")"})
    EXPECT_TRUE(search_places_from_json(Json::parse(text)).empty()) << text;
  const SearchPlaces read = search_places_from_json(
      Json::parse(R"({"a": 7, "b": {"flat": "yes", "problem_sha256": 1}})"));
  ASSERT_EQ(read.size(), 2u);
  EXPECT_FALSE(read.at("b").is_flat);
  EXPECT_EQ(read.at("b").problem_sha256, "");
}

}  // namespace
}  // namespace assay

#include "report/verification.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

Json json(const char* text) { return *parse_json(text, "it"); }

TEST(Verification, TheFirstMismatchIsThatOfTheRuleThatDecided) {
  Json evidence = json(R"({"rule": "wrong", "decided_by": {"family": "ties", "size": "n=7",
      "complaints": [{"rule": "precision", "output": 0, "index": [1]},
                     {"rule": "wrong", "output": 1, "index": [2, 5]}]}})");
  EXPECT_EQ(first_mismatch_in_words(evidence),
            "first at [2, 5] of output 1, inputs ties at size n=7");
  evidence["decided_by"]["complaints"][1]["index"] = Json::array();
  EXPECT_EQ(first_mismatch_in_words(evidence),
            "first at its only element of output 1, inputs ties at size n=7");
  evidence["decided_by"]["complaints"][1].erase("index");
  EXPECT_EQ(first_mismatch_in_words(evidence), "");
  EXPECT_EQ(first_mismatch_in_words(Json()), "");
}

TEST(Verification, WhatIsNotAsItShouldBeIsShownAllTheSame) {
  EXPECT_EQ(verification_in_words(Json()), "");
  for (const char* odd :
       {R"({})", R"({"rounds": 3, "launches": "x", "labels": {"a": 1}, "weaker": 7})",
        R"({"rounds": [1, null, {}, {"outputs": 4}, {"outputs": [null, 3], "complaints": [2]}]})",
        R"({"decided_by": [], "rule": 3, "policy": [], "rms_ratio": "nan"})",
        R"({"decided_by": {"complaints": [7]}, "launches": [null]})"})
    EXPECT_NE(verification_in_words(json(odd)).find("isolation"), std::string::npos) << odd;
}

TEST(Verification, ARoundIsAsBadAsItsWorstOutput) {
  std::string words = verification_in_words(json(R"({"rounds": [{"family": "own", "size": "full",
      "outputs": [{"rms_ratio": 0.5, "max_ratio": 9.87654}, {"rms_ratio": 2.5, "max_ratio": 1}]},
      {"family": "zeros", "size": "full", "outputs": []}]})"));
  EXPECT_NE(words.find("own     full  2.5  9.88     good"), std::string::npos) << words;
  EXPECT_NE(words.find("zeros   full  -    -        good"), std::string::npos) << words;
}

TEST(Verification, StrangersStayText) {
  std::string words = verification_in_words(json("{\"weaker\": [\"x\\ny\\u001b[2J\"]}"));
  EXPECT_NE(words.find("x\\ny\\x1b[2J\n"), std::string::npos) << words;
}

}  // namespace
}  // namespace assay

#include "report/dispatches.h"

#include <gtest/gtest.h>

#include "compile/parameters.h"
#include "measure/dispatch_times.h"

namespace assay {
namespace {

std::string event(const std::string& key, int ns) {
  return R"({"type":"host_dispatch_event","executable_id":1,"key":")" + key +
         R"(","flags":1,"duration_ns":)" + std::to_string(ns) + R"(,"valid":true})" + "\n";
}

std::string events_of_calls(int calls) {
  std::string text = "{\"type\":\"dispatch_summary\"}\n";
  for (int i = 0; i < calls; ++i)
    text += event("once", 100 + i) + event("twice", 1000) + event("twice", 1000);
  return text;
}

TEST(DispatchTimes, WhatTakesMostOfACallIsFirst) {
  const Json counted =
      to_json(*read_dispatch_times(2500, events_of_calls(11) + "no line of it\n{\"key\":"));
  EXPECT_EQ(counted["calls"], 11);
  ASSERT_EQ(counted["dispatches"].size(), 2u);
  EXPECT_EQ(counted["dispatches"][0]["name"], "twice");
  EXPECT_EQ(counted["dispatches"][0]["per_call"], 2);
  EXPECT_EQ(counted["dispatches"][1]["median_ns"], 105);
  EXPECT_EQ(counted["dispatches"][1]["low_ns"], 101);
  EXPECT_EQ(counted["dispatches"][1]["high_ns"], 109);
  EXPECT_EQ(dispatches_in_words(counted),
            "Of a call's 2.5 us, 2.1 us is in 2 dispatches: 95 % twice, 5 % once.");
  const std::string lines = dispatches_in_lines({{"iree-profile", counted}});
  EXPECT_TRUE(lines.contains("1 us x 2")) << lines;
  EXPECT_LT(lines.find("twice"), lines.find("once"));
}

TEST(DispatchTimes, OfNothingThereIsNothing) {
  EXPECT_FALSE(read_dispatch_times(1, ""));
  EXPECT_FALSE(read_dispatch_times(1, event("a", -1)));
  for (const Json& other : {Json(), Json::array(), Json{{"iree-profile", 1}},
                            Json{{"iree-profile", {{"dispatches", {1, nullptr}}}}}})
    EXPECT_EQ(dispatches_in_lines(other), "");
  EXPECT_EQ(dispatches_in_words({{"dispatches", 1}}), "");
}

TEST(DispatchTimes, OfThousandsTheSmallestAreLeftOut) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += event("d" + std::to_string(i), 100 + i);
  const Json counted = to_json(*read_dispatch_times(1e6, text));
  EXPECT_EQ(counted["dispatches"].size(), 64u);
  EXPECT_EQ(counted["left_out"], 36);
  EXPECT_EQ(counted["dispatches"][0]["name"], "d99");
}

TEST(Parameters, AreNamedOnceWithTheirTypes) {
  const std::string text =
      "util.global private @a = #flow.parameter.named<\"model\"::\"x.weight\"> : tensor<4x8xf32>\n"
      "util.global private @b = #flow.parameter.named<\"model\"::\"n\"> : tensor<i64>\n"
      "util.global private @c = #flow.parameter.named<\"model\"::\"x.weight\"> : tensor<4x8xf32>\n"
      "#flow.parameter.named<\"model\"::\"odd\\22\"> : tensor<f32>\n"
      "#flow.parameter.named<\"model\"::\"cut";
  const std::vector<NamedParameter> wanted{{"x.weight", "4x8xf32"}, {"n", "i64"}};
  EXPECT_EQ(parameters_of(text), wanted);
  EXPECT_TRUE(parameters_of("").empty());
}

}  // namespace
}  // namespace assay

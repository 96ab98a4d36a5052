#include "base/json.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(ParseJson, HalfAPairOfSurrogatesIsReplaced) {
  const std::string mark = "\xef\xbf\xbd";  // U+FFFD
  for (const auto& [text, wanted] :
       {std::pair<const char*, std::string>{R"("\ud83d x")", mark + " x"},
        {R"("x \uDE00")", "x " + mark},
        {R"("\ud83d\ud83d\ude00")", mark + "\xf0\x9f\x98\x80"},
        {R"("\ud83d")", mark},
        {R"("\\ud83d and \ud83d")", "\\ud83d and " + mark},
        {R"("\ud83d\u0041")", mark + "A"},
        {R"("\ud83d\ude00")", "\xf0\x9f\x98\x80"}}) {
    const auto parsed = parse_json(text, "it");
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed->get<std::string>(), wanted) << text;
  }
}

TEST(ParseJson, WhatElseIsWrongStaysSo) {
  for (const char* text : {R"("\ud83d)", R"("\ud8")", R"("\udzzz")", R"({"a": \ud83d})", R"("\)"})
    EXPECT_FALSE(parse_json(text, "it")) << text;
  const auto deep = parse_json(std::string(100, '[') + R"("\ud83d")" + std::string(100, ']'), "it");
  ASSERT_FALSE(deep);
  EXPECT_TRUE(deep.error().message.contains("too deeply"));
}

}  // namespace
}  // namespace assay

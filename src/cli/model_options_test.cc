#include "cli/model_options.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

using Names = std::vector<std::string>;

TEST(ModelOptions, ACommandKeepsItsCommasAndNoOtherOptionsModel) {
  EXPECT_EQ(models_in({"openai:a,anthropic:b"}), (Names{"openai:a", "anthropic:b"}));
  EXPECT_EQ(models_in({"command:awk '{print $1,$2}',openai:a"}),
            (Names{"command:awk '{print $1,$2}'", "openai:a"}));
  EXPECT_EQ(models_in({"command:x", "gtp-5"}), (Names{"command:x", "gtp-5"}));
  EXPECT_EQ(models_in({"openai:a,b"}), (Names{"openai:a", "b"}));
}

TEST(ModelOptions, ParametersAreJsonOrText) {
  const auto read = parse_parameters(
      {"temperature=0.1, max_tokens=100", R"(stop=["a,b","c"],x={"y":[1,2]},effort=high)"});
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_EQ(*read, Json::parse(R"({"temperature": 0.1, "max_tokens": 100, "stop": ["a,b", "c"],
                                   "x": {"y": [1, 2]}, "effort": "high"})"));
}

TEST(ModelOptions, WhatIsNoParameterIsSaidAtOnce) {
  const std::string deep = "a=" + std::string(90, '[') + std::string(90, ']');
  for (const auto& [given, said] : {std::pair<std::string, const char*>{"a", "no NAME=VALUE"},
                                    {"=1", "no NAME=VALUE"},
                                    {" =1", "no NAME=VALUE"},
                                    {"a=\xff", "no UTF-8"},
                                    {"max_tokens=many", "no number of tokens"},
                                    {"max_completion_tokens=0", "no number of tokens"},
                                    {deep, "nested too deeply"}}) {
    const auto read = parse_parameters({given});
    ASSERT_FALSE(read) << given;
    EXPECT_TRUE(read.error().message.contains(said)) << read.error().message;
  }
}

}  // namespace
}  // namespace assay

#include "workload/plain_yaml.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

Json read(std::string_view text) {
  auto json = read_plain_yaml(text, "f.yaml");
  return json ? *json : Json("error: " + json.error().message);
}

TEST(PlainYaml, MappingsAndListsByIndentation) {
  EXPECT_EQ(
      read("a: 1\nb:\n- x\n- 'y z'\nc:\n  d: \"e # f\"\n  g:\n    - h\n    - i: 1\n      j: 2\n"),
      Json::parse(R"({"a": "1", "b": ["x", "y z"],
                            "c": {"d": "e # f", "g": ["h", {"i": "1", "j": "2"}]}})"));
  EXPECT_EQ(read("- - 1\n  - 2\n-\n  a: b\n"), Json::parse(R"([["1", "2"], {"a": "b"}])"));
  EXPECT_EQ(read(""), Json());
  EXPECT_EQ(read("a: null\nb: ~\nc:\n"), Json::parse(R"({"a": null, "b": null, "c": null})"));
}

TEST(PlainYaml, ListsAndMappingsInALine) {
  EXPECT_EQ(read("a: [python3, 'b, c', http://x]\nb:\n- {file: k.py, kind: f}\n- [x]\nc: []\n"),
            Json::parse(R"({"a": ["python3", "b, c", "http://x"],
                            "b": [{"file": "k.py", "kind": "f"}, ["x"]], "c": []})"));
}

TEST(PlainYaml, TextsOfSeveralLinesAndComments) {
  EXPECT_EQ(read("# head\na: one\n  two # three\nb: |\n  - no item\n    c: d\nc: >-\n  x\n"),
            Json::parse(R"({"a": "one two", "b": "- no item\nc: d", "c": "x"})"));
  EXPECT_EQ(read("a:\n- pytest -k \"not x\"\n- python -c 'x: y'\n"),
            Json::parse(R"({"a": ["pytest -k \"not x\"", "python -c 'x: y'"]})"))
      << "a command is a text";
  EXPECT_EQ(read("a: 'it''s'\nb: \"x \\\" y\"\n"), Json::parse(R"({"a": "it's", "b": "x \" y"})"));
}

TEST(PlainYaml, WhatIsNeitherSaysWhere) {
  EXPECT_EQ(read("a: 1\nno name\n"), Json("error: f.yaml: line 2: it is no 'name: value'"));
  EXPECT_TRUE(read("a: [1, 2\n").get<std::string>().contains("does not end"));
  EXPECT_TRUE(read("a: \"x\n").get<std::string>().contains("does not end"));
  EXPECT_TRUE(read("  a: 1\nb: 2\n").get<std::string>().contains("less than before"));
  std::string deep = "a: " + std::string(100, '[');
  EXPECT_TRUE(read(deep).get<std::string>().contains("too deeply"));
  deep.clear();
  for (int i = 0; i < 100; ++i) deep += std::string(static_cast<size_t>(i), ' ') + "a:\n";
  EXPECT_TRUE(read(deep).get<std::string>().contains("too deeply"));
}

}  // namespace
}  // namespace assay

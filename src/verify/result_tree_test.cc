#include "verify/result_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <initializer_list>

namespace assay {
namespace {

std::string floats(std::initializer_list<float> values) {
  std::string bytes;
  for (const float value : values)
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  return bytes;
}

// {"a": [tensor of these]}
ResultTree tree_of(std::initializer_list<float> values, const std::string& key = "a",
                   const std::string& list = "list") {
  const std::string bytes = floats(values);
  auto tree = read_result_tree(R"({"dict": [[")" + key + R"(", {")" + list +
                               R"(": [{"tensor": "float32", "shape": [)" +
                               std::to_string(values.size()) + R"(], "at": 0, "bytes": )" +
                               std::to_string(bytes.size()) + "}]}]]}\n" + bytes);
  EXPECT_TRUE(tree) << tree.error().describe();
  return std::move(*tree);
}

ResultTree read(const std::string& json) {
  auto tree = read_result_tree(json + "\n");
  EXPECT_TRUE(tree) << tree.error().describe();
  return std::move(*tree);
}

SuiteTolerance usual() { return {.bare = {1e-2, 1e-1}, .nested = {1e-3, 1e-3}}; }

std::optional<ResultDifference> differ(const ResultTree& a, const ResultTree& b) {
  return compare_trees(a.root, b.root, as_suites_do(usual()));
}

TEST(ResultTree, TreesAreHeldAgainstEachOtherAsAWhole) {
  const ResultTree tree = tree_of({1, 2, 3});
  EXPECT_FALSE(differ(tree, tree_of({1, 2, 3.001f})));
  EXPECT_EQ(differ(tree, tree_of({1, 2, 3.1f}))->where, "['a'][0][2]");
  EXPECT_EQ(differ(tree, tree_of({1, 2}))->how, Differs::shape);
  EXPECT_EQ(differ(tree, tree_of({1, 2, 3}, "b"))->how, Differs::parts) << "another key";
  EXPECT_EQ(differ(tree, tree_of({1, 2, 3}, "a", "tuple"))->how, Differs::type);
  EXPECT_EQ(differ(tree, read(R"({"dict": []})"))->why, "it lacks 'a'") << "an empty one is none";
  EXPECT_EQ(
      differ(read(R"({"list": [{"int": "1"}, {"int": "2"}]})"), read(R"({"list": [{"int": "1"}]})"))
          ->how,
      Differs::parts)
      << "a shorter list";
}

// torch.allclose() and assert_close() say so, whatever else is the same.
TEST(ResultTree, ToSuitesNoNanIsTheSameAsAnother) {
  const float nan = std::nanf("");
  const ResultTree tree = tree_of({nan, 1});
  EXPECT_EQ(differ(tree, tree)->how, Differs::non_finite);
  EXPECT_FALSE(compare_trees(tree.root, tree.root, as_suites_do(usual(), {.nan_agrees = true})));
  EXPECT_FALSE(compare_trees(tree.root, tree.root, as_types_allow()));
  EXPECT_FALSE(differ(tree_of({INFINITY, 1}), tree_of({INFINITY, 1})));
  SuiteTolerance tolerance = usual();
  tolerance.thresholds = SuiteTolerance::Thresholds{.cosine = 0.9, .l1_relative = 1, .rmse = 1};
  EXPECT_TRUE(compare_trees(tree.root, tree.root, as_suites_do(tolerance)));
  EXPECT_FALSE(compare_trees(tree.root, tree.root, as_suites_do(tolerance, {.nan_agrees = true})));
}

// They are compared by ==.
TEST(ResultTree, ToSuitesAFloatIsTheSameToTheLastBit) {
  const ResultTree one = read(R"({"float": "0x1p+0"})"), near = read(R"({"float": "0x1.0001p+0"})"),
                   far = read(R"({"float": "0x1p+1"})"), nan = read(R"({"float": "nan"})");
  const Strictness kindly{.nan_agrees = true, .takes_tolerance = true};
  EXPECT_FALSE(differ(one, one));
  EXPECT_EQ(differ(one, near)->how, Differs::value);
  EXPECT_TRUE(differ(nan, nan));
  EXPECT_FALSE(compare_trees(nan.root, nan.root, as_suites_do(usual(), {.nan_agrees = true})));
  EXPECT_FALSE(compare_trees(one.root, near.root, as_suites_do(usual(), kindly)));
  EXPECT_FALSE(compare_trees(one.root, near.root, as_types_allow()));
  EXPECT_TRUE(compare_trees(one.root, far.root, as_suites_do(usual(), kindly)));
  EXPECT_EQ(count_of(one.root).numbers, 1u);
}

TEST(ResultTree, NanAndInfinityStandInTheSamePlaces) {
  const float nan = std::nanf(""), infinity = INFINITY;
  EXPECT_FALSE(compare_trees(tree_of({nan, infinity, 1}).root, tree_of({nan, infinity, 1}).root,
                             as_types_allow()));
  EXPECT_EQ(differ(tree_of({1, 2}), tree_of({1, nan}))->how, Differs::non_finite);
  EXPECT_EQ(differ(tree_of({nan, 2}), tree_of({1, 2}))->how, Differs::non_finite);
  EXPECT_EQ(differ(tree_of({infinity}), tree_of({-infinity}))->how, Differs::non_finite);
}

TEST(ResultTree, ATypeAllowsLessThanASuite) {
  const ResultTree one = tree_of({1, 100}), other = tree_of({1.0009f, 100});
  EXPECT_FALSE(differ(one, other));
  EXPECT_FALSE(compare_trees(one.root, tree_of({1.00001f, 100}).root, as_types_allow()));
  // Beside what is usual in it, a small element may be anything small.
  EXPECT_FALSE(compare_trees(one.root, other.root, as_types_allow()));
  EXPECT_TRUE(compare_trees(one.root, tree_of({1.02f, 100}).root, as_types_allow()));
  EXPECT_TRUE(compare_trees(one.root, tree_of({1, 100.1f}).root, as_types_allow()));
}

TEST(ResultTree, NumbersOfEightBitsMayBeRoundedOtherwiseHereAndThere) {
  const auto bytes_of = [](const std::string& bytes) {
    return read_result_tree(R"({"tensor": "int8", "shape": [)" + std::to_string(bytes.size()) +
                            R"(], "at": 0, "bytes": )" + std::to_string(bytes.size()) + "}\n" +
                            bytes);
  };
  const std::string expected(128, 5);
  std::string once = expected, often(128, 6), far = expected;
  once[7] = 6;
  far[7] = 9;
  const auto differs = [&](const std::string& found) {
    return compare_trees(bytes_of(expected)->root, bytes_of(found)->root, as_types_allow());
  };
  EXPECT_FALSE(differs(once));
  EXPECT_TRUE(differs(often));
  EXPECT_TRUE(differs(far));
}

TEST(ResultTree, ThresholdsAreOfAWholeTensor) {
  SuiteTolerance tolerance = usual();
  tolerance.thresholds = SuiteTolerance::Thresholds{.cosine = 0.99, .l1_relative = 0.01, .rmse = 1};
  const auto elements = as_suites_do(tolerance);
  EXPECT_FALSE(compare_trees(tree_of({1, 100}).root, tree_of({1.5f, 100}).root, elements));
  EXPECT_TRUE(compare_trees(tree_of({1, 100}).root, tree_of({1, 97}).root, elements));
  const auto bytes_of = [](const std::string& bytes) {
    return *read_result_tree(R"({"tensor": "int8", "shape": [2], "at": 0, "bytes": 2})"
                             "\n" +
                             bytes);
  };
  const ResultTree whole = bytes_of("\x64\x64"), next = bytes_of("\x64\x65"),
                   far = bytes_of("\x64\x70");
  EXPECT_FALSE(compare_trees(whole.root, next.root, elements)) << "whole numbers as well";
  EXPECT_TRUE(compare_trees(whole.root, far.root, elements));
}

TEST(ResultTree, WhatIsNoResultSaysNothing) {
  const ResultTree other = read(R"({"other": "module.Thing"})");
  EXPECT_TRUE(differ(other, other)->is_opaque);
  const ResultCount count = count_of(
      read(R"({"list": [{"none": true}, {"bool": true}, {"float": "0x1p-1"}, {"text": "x"}]})")
          .root);
  EXPECT_EQ(count.values, 1u);
  EXPECT_EQ(count.flags, 1u);
  EXPECT_EQ(count.tensors, 0u);
}

TEST(ResultTree, EachPartOfADictIsHeldAgainstItsOwn) {
  const ResultTree own = read(R"({"dict": [["a", {"int": "1"}], ["b", {"int": "2"}]]})");
  const ResultTree found = read(R"({"dict": [["b", {"int": "3"}], ["c", {"int": "2"}]]})");
  const auto differ = parts_that_differ(own.root, found.root, as_types_allow());
  ASSERT_EQ(differ.size(), 3u);
  EXPECT_EQ(differ.at("a").how, Differs::parts);
  EXPECT_EQ(differ.at("b").where, "['b']");
  EXPECT_EQ(differ.at("b").how, Differs::value);
  EXPECT_EQ(differ.at("c").how, Differs::parts);
  EXPECT_TRUE(parts_that_differ(own.root, own.root, as_types_allow()).empty());
  EXPECT_EQ(parts_that_differ(own.root, read(R"({"none": true})").root, as_types_allow()).size(),
            2u)
      << "all of them, where there is no dict";
}

TEST(ResultTree, WhatACandidateWritesIsNotBelieved) {
  for (const char* written :
       {"", "{}\n", "[]\n",
        R"({"tensor": "float32", "shape": [2], "at": 0, "bytes": 8})"
        "\n1234567",
        R"({"tensor": "float32", "shape": [4611686018427387904, 8], "at": 0, "bytes": 0})"
        "\n",
        R"({"tensor": "float32", "shape": [-1], "at": 0, "bytes": 4})"
        "\n1234",
        R"({"tensor": "float32", "shape": [1], "at": -4, "bytes": 4})"
        "\n1234",
        R"({"tensor": "object", "shape": [], "at": 0, "bytes": 4})"
        "\n1234",
        R"({"dict": [["a"]]})"
        "\n",
        R"({"float": "nine"})"
        "\n"})
    EXPECT_FALSE(read_result_tree(written)) << written;
}

}  // namespace
}  // namespace assay

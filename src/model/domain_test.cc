#include "model/domain.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

Result<Domain> read(const std::string& text) {
  return domain_from_json(*parse_json(text, "a domain"));
}

TEST(Domains, AreReadAsTheyAreWritten) {
  for (const Domain& domain :
       {Domain{}, Domain{.kind = DomainKind::index, .below = 1000},
        Domain{.kind = DomainKind::mask}, Domain{.kind = DomainKind::mask, .shown = 0},
        Domain{.kind = DomainKind::graph, .nodes = 34},
        Domain{.kind = DomainKind::graph,
               .nodes = 2,
               .undirected = true,
               .self_loops = false,
               .duplicates = false},
        Domain{.kind = DomainKind::constant}}) {
    auto again = domain_from_json(to_json(domain));
    ASSERT_TRUE(again) << again.error().describe();
    EXPECT_EQ(*again, domain);
  }
  EXPECT_EQ(read(R"({"domain": "mask"})")->shown, 1);
  EXPECT_TRUE(read(R"({"domain": "graph", "nodes": 3})")->self_loops);
}

TEST(Domains, WhatIsNoneIsRefused) {
  for (const char* text :
       {R"(3)", R"({})", R"({"domain": "labels"})", R"({"domain": "index"})",
        R"({"domain": "index", "below": 0})", R"({"domain": "index", "below": 9e18})",
        R"({"domain": "index", "below": 4611686018427387905})", R"({"domain": "mask", "shown": 2})",
        R"({"domain": "graph"})", R"({"domain": "graph", "nodes": 0})",
        R"({"domain": "graph", "nodes": 4294967296})",
        R"({"domain": "graph", "nodes": 4, "undirected": 1})"})
    EXPECT_FALSE(read(text)) << text;
}

TEST(Domains, ATensorHasToFit) {
  auto fits = [](Dtype dtype, std::vector<int64_t> shape, const Domain& domain) {
    return check(TensorSpec{dtype, std::move(shape), {}}, domain).has_value();
  };
  Domain index{.kind = DomainKind::index, .below = 200};
  EXPECT_TRUE(fits(Dtype::i64, {3}, index));
  EXPECT_TRUE(fits(Dtype::u8, {3}, index));
  EXPECT_FALSE(fits(Dtype::i8, {3}, index)) << "it ends at 127";
  EXPECT_FALSE(fits(Dtype::f32, {3}, index));
  EXPECT_FALSE(fits(Dtype::boolean, {3}, index));
  Domain graph{.kind = DomainKind::graph, .nodes = 3};
  EXPECT_TRUE(fits(Dtype::i32, {2, 100}, graph));
  EXPECT_TRUE(fits(Dtype::i64, {2, 0}, graph));
  EXPECT_FALSE(fits(Dtype::i16, {2, 100}, graph));
  EXPECT_FALSE(fits(Dtype::i64, {100, 2}, graph));
  EXPECT_FALSE(fits(Dtype::i64, {200}, graph));
  graph.duplicates = false;
  EXPECT_TRUE(fits(Dtype::i64, {2, 9}, graph));
  EXPECT_FALSE(fits(Dtype::i64, {2, 10}, graph));
  graph.self_loops = false;
  EXPECT_TRUE(fits(Dtype::i64, {2, 6}, graph));
  EXPECT_FALSE(fits(Dtype::i64, {2, 7}, graph));
  graph.undirected = graph.self_loops = true;
  EXPECT_TRUE(fits(Dtype::i64, {2, 6}, graph)) << "each of three pairs, both ways";
  EXPECT_FALSE(fits(Dtype::i64, {2, 8}, graph));
  graph.duplicates = true;
  EXPECT_TRUE(fits(Dtype::i64, {2, 8}, graph));
  EXPECT_FALSE(fits(Dtype::i64, {2, 7}, graph)) << "they come in pairs";
  Domain one{.kind = DomainKind::graph, .nodes = 1, .self_loops = false};
  EXPECT_FALSE(fits(Dtype::i64, {2, 1}, one));
  EXPECT_TRUE(fits(Dtype::f16, {}, Domain{.kind = DomainKind::mask}));
}

}  // namespace
}  // namespace assay

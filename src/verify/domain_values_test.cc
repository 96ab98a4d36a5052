#include "verify/domain_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "verify/disturb.h"
#include "verify/families.h"
#include "verify/number.h"

namespace assay {
namespace {

const Seed kSeed{};
constexpr uint64_t kSeeds = 200;

struct Filled {
  TensorSpec spec;
  std::vector<std::byte> memory;

  explicit Filled(TensorSpec of) : spec(std::move(of)), memory(spec.span_bytes()) {}
  std::byte* data() { return memory.data(); }
  std::vector<double> values() const {
    std::vector<std::byte> packed(spec.elements() * bytes_of(spec.dtype));
    gather(spec, memory.data(), 0, spec.elements(), packed.data());
    std::vector<double> result(spec.elements());
    load_block(spec.dtype, packed.data(), result.size(), result.data());
    return result;
  }
};

// An input as the oracle leaves it to be filled.
struct Input {
  std::string name;
  TensorSpec spec;
  Domain domain;
  std::optional<Draw> draw;  // nothing: it holds values
  std::function<double(uint64_t seed, uint64_t)> own = [](uint64_t, uint64_t) { return 0; };
};

// As `family` has it under the n-th seed, over what the problem makes under that.
Filled filled(const Input& input, Family family, uint64_t n) {
  const RandomStream stream = RandomStream(kSeed, "domains").named(std::to_string(n));
  const RandomStream earlier = RandomStream(kSeed, "earlier").named(std::to_string(n));
  Filled tensor(input.spec);
  if (!input.draw)
    fill(input.spec, tensor.data(), Floats([&](uint64_t first, std::span<double> values) {
           for (size_t i = 0; i < values.size(); ++i) values[i] = input.own(n, first + i);
         }));
  FamilyFill how{.family = family, .domain = input.domain, .earlier = &earlier};
  auto done =
      fill_family(input.spec, input.draw ? &*input.draw : nullptr, how, stream, tensor.data());
  EXPECT_TRUE(done) << done.error().describe();
  return tensor;
}

double by_chance(uint64_t seed, uint64_t i) {  // one element in eight is 1
  const uint64_t mixed = (seed * 1000 + i + 1) * 0x9e3779b97f4a7c15;
  return mixed >> 61 == 0 ? 1 : 0;
}

Draw randint(int64_t low, int64_t high) {
  return {.kind = DrawKind::randint, .int_low = low, .int_high = high};
}

std::vector<Input> inputs() {
  const Domain mask{.kind = DomainKind::mask}, hidden{.kind = DomainKind::mask, .shown = 0};
  const Domain index{.kind = DomainKind::index, .below = 30};
  auto graph = [](int64_t nodes, bool undirected, bool self_loops, bool duplicates) {
    return Domain{.kind = DomainKind::graph,
                  .nodes = nodes,
                  .undirected = undirected,
                  .self_loops = self_loops,
                  .duplicates = duplicates};
  };
  std::vector<Input> all = {
      {"still", {Dtype::i64, {3, 5}, {}}, mask, Draw{.kind = DrawKind::ones}},
      {"nothing hidden", {Dtype::boolean, {3, 5}, {}}, hidden, Draw{.kind = DrawKind::zeros}},
      {"nothing shown", {Dtype::f32, {4, 3}, {}}, mask, Draw{.kind = DrawKind::zeros}},
      {"of floats", {Dtype::f16, {2, 2, 9}, {1, 18, 2}}, mask, Draw{.kind = DrawKind::ones}},
      {"drawn", {Dtype::i64, {20, 3}, {}}, mask, randint(0, 2)},
      {"drawn floats", {Dtype::f32, {20, 3}, {}}, mask, randint(0, 2)},
      {"computed", {Dtype::boolean, {9, 17}, {}}, mask, {}, by_chance},
      {"computed, one wide", {Dtype::u8, {9, 1}, {}}, mask, {}, by_chance},
      {"a number", {Dtype::boolean, {}, {}}, mask, {}, by_chance},
      {"indices", {Dtype::i64, {50}, {}}, index, randint(0, 30)},
      {"of some", {Dtype::i32, {50}, {}}, index, randint(10, 20)},
      {"in order", {Dtype::i64, {30}, {}}, index, Draw{.kind = DrawKind::arange}},
      {"bytes", {Dtype::u8, {5, 10}, {}}, index, {}, [](uint64_t, uint64_t i) { return i % 30; }},
  };
  for (int n = 0; n < 8; ++n) {
    const Domain edges = graph(9, (n & 1) != 0, (n & 2) != 0, (n & 4) != 0);
    const Dtype dtype = n % 3 == 0 ? Dtype::i32 : Dtype::i64;
    all.push_back({"graph " + std::to_string(n), {dtype, {2, 36}, {}}, edges, draw_of(edges)});
  }
  const Domain dense = graph(5, false, false, false);
  all.push_back({"all pairs", {Dtype::i64, {2, 20}, {}}, dense, draw_of(dense)});
  const Domain one = graph(1, false, true, true);
  all.push_back({"one node", {Dtype::i64, {2, 4}, {}}, one, draw_of(one)});
  const Domain turned = graph(int64_t{1} << 31, true, true, false);
  all.push_back({"many nodes", {Dtype::i64, {2, 8}, {1, 2}}, turned, draw_of(turned)});
  return all;
}

TEST(DomainValues, EveryFamilyKeepsThem) {
  for (const Input& input : inputs())
    for (const auto& [family, word] : kFamilyWords)
      for (uint64_t seed = 0; seed < kSeeds; ++seed) {
        Filled tensor = filled(input, family, seed);
        ASSERT_TRUE(holds(input.spec, input.domain, tensor.data()))
            << input.name << " under " << word << ", seed " << seed;
      }
}

// What stands there, as the problem makes it, whether or not it is of the domain.
Filled made(const Input& input, uint64_t seed) {
  Filled tensor(input.spec);
  fill(input.spec, tensor.data(), Floats([&](uint64_t first, std::span<double> values) {
         for (size_t i = 0; i < values.size(); ++i) values[i] = input.own(seed, first + i);
       }));
  return tensor;
}

TEST(DomainValues, WhatAFileDrawsIsBroughtIntoThem) {
  for (const Input& input : inputs()) {
    if (input.domain.kind == DomainKind::index) continue;  // it is: the file says so
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      Filled tensor = made(input, seed);
      keep_domain(input.spec, input.domain, RandomStream(kSeed, std::to_string(seed)),
                  tensor.data());
      ASSERT_TRUE(holds(input.spec, input.domain, tensor.data()))
          << input.name << ", seed " << seed;
    }
  }
}

TEST(DomainValues, WhatIsDisturbedKeepsThem) {
  std::vector<Input> all = inputs();
  const Domain one{.kind = DomainKind::index, .below = 1};
  const Domain two{.kind = DomainKind::index, .below = 2};
  all.push_back({"the only index", {Dtype::i64, {6}, {}}, one, randint(0, 1)});
  all.push_back({"the only index, alone", {Dtype::i64, {1}, {}}, one, randint(0, 1)});
  all.push_back({"the same index", {Dtype::i32, {7}, {}}, two, {}, [](auto, auto) { return 1; }});
  all.push_back({"one row", {Dtype::i64, {1, 5}, {}}, {.kind = DomainKind::mask}, {}, by_chance});
  for (const Input& input : all) {
    bool has_changed = false;
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      Filled tensor = filled(input, Family::own, seed);
      const std::vector<std::byte> before = tensor.memory;
      disturb_within(input.domain, input.spec, RandomStream(kSeed, std::to_string(seed)),
                     tensor.data());
      ASSERT_TRUE(holds(input.spec, input.domain, tensor.data()))
          << input.name << ", seed " << seed;
      has_changed = has_changed || tensor.memory != before;
    }
    // Of one wide, one node, one index and all pairs of nodes there is no other.
    const Domain& domain = input.domain;
    const bool is_single = input.spec.elements() == 1 || input.spec.shape.back() == 1 ||
                           domain.below == 1 || domain.nodes == 1 || input.name == "all pairs";
    EXPECT_NE(has_changed, is_single) << input.name;
  }
}

TEST(DomainValues, WhatIsConstantStays) {
  for (Dtype dtype : {Dtype::f32, Dtype::i64, Dtype::boolean}) {
    Input input{"constant", {dtype, {4, 5}, {}}, {.kind = DomainKind::constant}, {}, by_chance};
    for (const auto& [family, word] : kFamilyWords) {
      Filled tensor = filled(input, family, 3);
      std::vector<double> values = tensor.values();
      for (uint64_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], by_chance(3, i)) << word;
    }
  }
}

TEST(DomainValues, WhatIsNotOfADomainIsSeen) {
  auto is_held = [](TensorSpec spec, const Domain& domain, const std::vector<double>& values) {
    Filled tensor(std::move(spec));
    fill(tensor.spec, tensor.data(), Floats([&](uint64_t first, std::span<double> some) {
           std::copy_n(values.begin() + static_cast<long>(first), some.size(), some.begin());
         }));
    return holds(tensor.spec, domain, tensor.data());
  };
  Domain mask{.kind = DomainKind::mask}, index{.kind = DomainKind::index, .below = 3};
  const TensorSpec rows{Dtype::f32, {2, 2}, {}}, whole{Dtype::i64, {4}, {}};
  EXPECT_TRUE(is_held(rows, mask, {0, 1, 1, 0}));
  EXPECT_FALSE(is_held(rows, mask, {0, 0, 1, 1}));
  EXPECT_FALSE(is_held(rows, mask, {2, 1, 1, 0}));
  mask.shown = 0;
  EXPECT_FALSE(is_held(rows, mask, {0, 0, 1, 1}));
  EXPECT_TRUE(is_held(whole, index, {0, 1, 2, 2}));
  EXPECT_FALSE(is_held(whole, index, {0, 1, 3, 2}));
  EXPECT_FALSE(is_held(whole, index, {0, 1, -1, 2}));
  EXPECT_FALSE(is_held(rows, index, {0, 1, 2, 2})) << "of floating point";
  Domain graph{.kind = DomainKind::graph, .nodes = 3};
  const TensorSpec edges{Dtype::i64, {2, 2}, {}};
  EXPECT_TRUE(is_held(edges, graph, {1, 1, 1, 1}));
  EXPECT_FALSE(is_held(edges, graph, {1, 3, 1, 1}));
  graph.duplicates = false;
  EXPECT_FALSE(is_held(edges, graph, {1, 1, 1, 1}));
  graph = {.kind = DomainKind::graph, .nodes = 3, .self_loops = false};
  EXPECT_FALSE(is_held(edges, graph, {1, 2, 2, 2}));
  graph.undirected = true;
  EXPECT_TRUE(is_held(edges, graph, {1, 2, 2, 1}));
  EXPECT_FALSE(is_held(edges, graph, {1, 1, 2, 2}));
}

// Each set of edges is as likely as any other, and another seed gives another.
TEST(DomainValues, GraphsAreOthersUnderEachSeedAndInEachFamily) {
  Domain domain{.kind = DomainKind::graph, .nodes = 4, .undirected = true, .duplicates = false};
  Input input{"graph", {Dtype::i64, {2, 6}, {}}, domain, draw_of(domain)};
  std::vector<int> met(16);
  for (uint64_t seed = 0; seed < 400; ++seed) {
    std::vector<double> ends = filled(input, Family::own, seed).values();
    for (size_t i = 0; i < 3; ++i)
      ++met[static_cast<size_t>(std::max(ends[i], ends[6 + i]) * 4 +
                                std::min(ends[i], ends[6 + i]))];
  }
  for (int from = 0; from < 4; ++from)
    for (int to = 0; to < from; ++to)  // half of six pairs, each time
      EXPECT_NEAR(met[static_cast<size_t>(from * 4 + to)], 200, 50) << from << " " << to;

  domain = {.kind = DomainKind::graph, .nodes = 100};
  input = {"large", {Dtype::i32, {2, 160}, {}}, domain, draw_of(domain)};
  const auto own = filled(input, Family::own, 1).values();
  for (const auto& [family, word] : kFamilyWords) {
    if (family == Family::own) continue;
    EXPECT_NE(filled(input, family, 2).values(), own) << word;
  }
  // As the earlier one at its margins, and another inside.
  const RandomStream now(kSeed, "now"), then(kSeed, "then");
  Filled a(input.spec), b(input.spec);
  fill_graph(a.spec, domain, nullptr, then, a.data());
  fill_graph(b.spec, domain, &then, now, b.data());
  const auto before = a.values(), after = b.values();
  for (size_t i : {0u, 19u, 140u, 159u, 160u, 319u}) EXPECT_EQ(before[i], after[i]) << i;
  EXPECT_FALSE(std::equal(before.begin() + 20, before.begin() + 140, after.begin() + 20));
}

// Under a causal mask the first place sees itself alone.
TEST(DomainValues, WhatIsTurnedOfAMaskIsNotTheFirstThatEachRowShows) {
  auto turned = [](Domain domain, DrawKind kind) {
    Input input{"mask", {Dtype::boolean, {40, 100}, {}}, domain, Draw{.kind = kind}};
    const double shown = domain.shown != 0 ? 1 : 0;
    std::vector<double> values = filled(input, Family::ties, 1).values();
    for (size_t row = 0; row < 40; ++row) EXPECT_EQ(values[100 * row], shown);
    return std::ranges::count_if(values, [&](double value) { return value != shown; });
  };
  EXPECT_NEAR(static_cast<double>(turned({.kind = DomainKind::mask}, DrawKind::ones)), 495, 120);
  EXPECT_NEAR(static_cast<double>(turned({.kind = DomainKind::mask, .shown = 0}, DrawKind::zeros)),
              495, 120);
  // A row that begins with what is hidden keeps the first that is not.
  Input padded{"padded",
               {Dtype::i64, {50, 8}, {}},
               {.kind = DomainKind::mask},
               {},
               [](uint64_t, uint64_t i) { return i % 8 >= 5 ? 1 : 0; }};
  std::vector<double> values = filled(padded, Family::ties, 1).values();
  for (size_t row = 0; row < 50; ++row) EXPECT_EQ(values[8 * row + 5], 1) << row;
  EXPECT_GT(std::ranges::count(values, 1.0), 120);
}

TEST(DomainValues, OfASmallMaskOneElementIsTurnedAtLeast) {
  Input small{"small", {Dtype::i64, {1, 2}, {}}, {.kind = DomainKind::mask}, {}, [](auto, auto) {
                return 1;
              }};
  for (uint64_t seed = 0; seed < 50; ++seed)
    EXPECT_EQ(filled(small, Family::ties, seed).values(), (std::vector<double>{1, 0}));
  small.spec.shape = {2, 9};
  small.spec.strides = {};
  for (uint64_t seed = 0; seed < 50; ++seed)
    EXPECT_GT(std::ranges::count(filled(small, Family::ties, seed).values(), 0.0), 0);
}

TEST(DomainValues, AreFoundFromTheCallThatMakesATensor) {
  auto found = [](Dtype dtype, std::vector<int64_t> shape, const Draw& draw) {
    return domain_of({dtype, std::move(shape), {}}, draw);
  };
  const Draw ones{.kind = DrawKind::ones}, zeros{.kind = DrawKind::zeros};
  const Domain free{}, mask{.kind = DomainKind::mask}, hidden{.kind = DomainKind::mask, .shown = 0};
  EXPECT_EQ(found(Dtype::i64, {4}, randint(0, 9)), (Domain{.kind = DomainKind::index, .below = 9}));
  EXPECT_EQ(found(Dtype::i64, {4}, randint(-1, 9)), free);
  EXPECT_EQ(found(Dtype::f32, {4}, randint(0, 9)), free);
  EXPECT_EQ(found(Dtype::boolean, {4}, randint(0, 2)), free);
  Draw moved = randint(0, 9);
  moved.shift = 1;
  EXPECT_EQ(found(Dtype::i64, {4}, moved), free);
  EXPECT_EQ(found(Dtype::i64, {2, 4}, ones), mask);
  EXPECT_EQ(found(Dtype::boolean, {4}, ones), mask);
  EXPECT_EQ(found(Dtype::boolean, {4}, zeros), hidden);
  EXPECT_EQ(found(Dtype::boolean, {4}, {.kind = DrawKind::full, .value = 1}), mask);
  EXPECT_EQ(found(Dtype::i64, {4}, zeros), free);
  EXPECT_EQ(found(Dtype::f32, {4}, ones), free);
  EXPECT_EQ(found(Dtype::boolean, {4, 1}, ones), free) << "a flag";
  EXPECT_EQ(found(Dtype::boolean, {}, ones), free);
  EXPECT_EQ(found(Dtype::f32, {4}, {.kind = DrawKind::randn}), free);
}

}  // namespace
}  // namespace assay

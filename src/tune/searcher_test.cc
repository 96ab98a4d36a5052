#include "tune/searcher.h"

#include <gtest/gtest.h>

#include <set>

#include "base/rows.h"

namespace assay {
namespace {

std::vector<size_t> all_of(std::string_view name, uint64_t seed, const std::set<size_t>& told) {
  const std::vector<Configuration> points(20);
  auto searcher = find_row(searchers(), name)->open({.points = points, .seed = seed});
  EXPECT_TRUE(searcher);
  for (size_t point : told) EXPECT_TRUE((*searcher)->tell(point, 1.0));
  std::vector<size_t> found;
  while (true) {
    auto asked = (*searcher)->ask(3);
    EXPECT_TRUE(asked);
    EXPECT_LE(asked->size(), 3u);
    if (asked->empty()) return found;
    found.insert(found.end(), asked->begin(), asked->end());
  }
}

TEST(Searcher, EveryPointThatIsNotKnownIsAskedForOnce) {
  for (std::string_view name : {"random", "grid"}) {
    const std::vector<size_t> found = all_of(name, 1, {4, 7});
    EXPECT_EQ(found.size(), 18u) << name;
    const std::set<size_t> different(found.begin(), found.end());
    EXPECT_EQ(different.size(), 18u) << name;
    EXPECT_FALSE(different.contains(4) || different.contains(7)) << name;
  }
}

TEST(Searcher, OfAPartTheRestIsNeverAskedFor) {
  const std::vector<Configuration> points(20);
  auto part =
      open_part(*find_row(searchers(), "random"), {.points = points, .seed = 1}, {3, 11, 17});
  ASSERT_TRUE(part);
  EXPECT_TRUE((*part)->tell(11, 1.0));
  EXPECT_TRUE((*part)->tell(5, 1.0)) << "of the rest";
  auto asked = (*part)->ask(8);
  ASSERT_TRUE(asked);
  EXPECT_EQ(std::set<size_t>(asked->begin(), asked->end()), (std::set<size_t>{3, 17}));
}

TEST(Searcher, ASeedSaysTheOrderOfOneThatDraws) {
  EXPECT_EQ(all_of("random", 1, {}), all_of("random", 1, {}));
  EXPECT_NE(all_of("random", 1, {}), all_of("random", 2, {}));
  EXPECT_EQ(all_of("grid", 1, {}), all_of("grid", 2, {}));
}

}  // namespace
}  // namespace assay

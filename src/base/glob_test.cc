#include "base/glob.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Glob, MatchesWholePathsAndTheirTails) {
  const std::string path = "tour/level1/softmax";
  for (const char* pattern : {"softmax", "level1/softmax", "tour/level1/softmax", "soft*", "*max",
                              "s?ftmax", "level[12]/*", "tour/*", "*/softmax", "level1/*", "*"})
    EXPECT_TRUE(matches_path(pattern, path)) << pattern;
  for (const char* pattern :
       {"soft", "max", "level1", "tour", "our/level1/softmax", "level[!1]/*", "level2/*", ""})
    EXPECT_FALSE(matches_path(pattern, path)) << pattern;
}

TEST(Glob, ABackslashTakesACharacterLiterally) {
  EXPECT_TRUE(matches_path("a\\*", "s/a*"));
  EXPECT_FALSE(matches_path("a\\*", "s/ab"));
  EXPECT_TRUE(is_glob("a[b]"));
  EXPECT_FALSE(is_glob("tour/level1"));
}

TEST(Glob, WantedThenUnwanted) {
  PathFilter filter{{"level1/*", "gelu"}, {"*conv*"}};
  EXPECT_TRUE(filter.admits("tour/level1/softmax"));
  EXPECT_FALSE(filter.admits("tour/level1/conv"));
  EXPECT_TRUE(filter.admits("tour/level2/gelu"));
  EXPECT_FALSE(filter.admits("tour/level2/softmax"));
  EXPECT_TRUE(PathFilter{}.admits("anything"));
  EXPECT_FALSE((PathFilter{{}, {"*"}}.admits("anything")));
}

TEST(Glob, AFilterThatMatchesNothingSaysWhatWasMeant) {
  const std::vector<std::string> paths{"tour/level1/softmax", "tour/level1/gelu"};
  auto problem = [&](const PathFilter& filter) {
    auto selected = select_paths(filter, paths, "workload");
    return selected ? "none" : selected.error().message;
  };
  EXPECT_EQ(problem({{"softmx"}, {}}),
            "--filter 'softmx' matches none of 2 workloads (did you mean 'softmax'?)");
  EXPECT_EQ(problem({{"level1"}, {}}),
            "--filter 'level1' matches none of 2 workloads (did you mean 'level1/*'?)");
  EXPECT_EQ(problem({{"gelu", "tour/level1/geru"}, {}}),
            "--filter 'tour/level1/geru' matches none of 2 workloads (did you mean "
            "'tour/level1/gelu'?)");
  EXPECT_EQ(problem({{"xylophone*"}, {}}), "--filter 'xylophone*' matches none of 2 workloads");
  EXPECT_EQ(problem({{}, {"*"}}), "--filter and --skip leave none of 2 workloads");
  EXPECT_EQ(*select_paths({{"gelu"}, {}}, paths, "workload"), (std::vector<bool>{false, true}));
}

}  // namespace
}  // namespace assay

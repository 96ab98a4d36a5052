// Which problems paths and patterns stand for.
#include "engine/suite.h"

#include <gtest/gtest.h>

#include "fakes/memory_disk.h"

namespace assay {
namespace {

using Names = std::vector<std::string>;

class SelectionTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* path : {"/s/level1/gelu.py", "/s/level1/norm.py", "/s/level2/norm_wide.py",
                             "/s/level2/notes.md", "/s/odd[1]/x.py", "/s/.hidden/y.py"})
      disk_.files[path] = "";
  }
  Names expand(const Names& paths) {
    auto expanded = expand_globs(disk_, paths);
    return expanded ? *expanded : Names{expanded.error().message};
  }
  Names select(const Selection& selection) {
    auto selected = select_workloads(*find_workloads(disk_, {"/s"}), selection);
    if (!selected) return {selected.error().message};
    Names names;
    for (const Workload& workload : *selected) names.push_back(workload.name);
    return names;
  }

  MemoryDisk disk_;
};

TEST_F(SelectionTest, QuotedPatternsAreExpanded) {
  EXPECT_EQ(expand({"/s/level1"}), Names{"/s/level1"});
  EXPECT_EQ(expand({"/s/level?/norm*.py"}), (Names{"/s/level1/norm.py", "/s/level2/norm_wide.py"}));
  EXPECT_EQ(expand({"/s/*/gelu.py", "/s/level2"}), (Names{"/s/level1/gelu.py", "/s/level2"}));
  EXPECT_EQ(expand({"/s/odd[1]"}), Names{"/s/odd[1]"}) << "what exists is no pattern";
  EXPECT_EQ(expand({"/s/*/y.py"}), Names{"'/s/*/y.py' matches no file or folder"});
  EXPECT_EQ(expand({"/nowhere/*"}), Names{"'/nowhere/*' matches no file or folder"});
  EXPECT_EQ(expand({"/s/nowhere"}), Names{"/s/nowhere"}) << "find_workloads() tells";
}

TEST_F(SelectionTest, FilterThenSkipThenLimit) {
  EXPECT_EQ(select({}), (Names{"gelu", "norm", "norm_wide", "x"}));
  EXPECT_EQ(select({{{"norm*"}, {}}, 0}), (Names{"norm", "norm_wide"}));
  EXPECT_EQ(select({{{"level1/*", "x"}, {"gelu"}}, 0}), (Names{"norm", "x"}));
  EXPECT_EQ(select({{{}, {"s/level1/*"}}, 1}), Names{"norm_wide"});
  EXPECT_EQ(select({{}, 2}), (Names{"gelu", "norm"}));
  EXPECT_EQ(select({{}, 99}).size(), 4u);
  EXPECT_EQ(select({{{"nrom"}, {}}, 0}),
            Names{"--filter 'nrom' matches none of 4 workloads (did you mean 'norm'?)"});
}

}  // namespace
}  // namespace assay

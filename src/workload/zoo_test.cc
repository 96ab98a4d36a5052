#include "workload/zoo.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace assay {
namespace {

TEST(Zoo, NumbersAtTheTopAreReplacedAndNothingElse) {
  const std::string python =
      "SEQ = 32\n"
      "WIDE_2 = 4  # why\r\n"
      "RATE = 0.5\n"
      "HALF = 4 // 2\n"
      "seq = 32\n"
      "  SEQ = 32\n"
      "SEQ == 32\n"
      "NAME = 7x\n"
      "LAST = 9";
  EXPECT_EQ(with_numbers(python, {{"seq", 5},
                                  {"wide_2", 123456},
                                  {"rate", 1},
                                  {"half", 1},
                                  {"name", 1},
                                  {"last", 0},
                                  {"none", 3}}),
            "SEQ = 5\n"
            "WIDE_2 = 123456  # why\r\n"
            "RATE = 0.5\n"
            "HALF = 4 // 2\n"
            "seq = 32\n"
            "  SEQ = 32\n"
            "SEQ == 32\n"
            "NAME = 7x\n"
            "LAST = 0");
  EXPECT_EQ(with_numbers("", {{"seq", 5}}), "");
}

TEST(Zoo, EachModelHasItsSizesInOrder) {
  auto zoo = read_zoo(system_disk());
  ASSERT_TRUE(zoo) << zoo.error().describe();
  ASSERT_GT(zoo->size(), 15u);
  for (const ZooModel& model : *zoo) {
    ASSERT_EQ(model.sizes.size(), 3u) << model.key;
    EXPECT_EQ(model.sizes[0].name, kSmallestModel) << model.key;
    EXPECT_EQ(model.sizes[2].name, "base") << model.key;
    EXPECT_FALSE(model.title.empty()) << model.key;
    EXPECT_FALSE(model.sizes[0].numbers.empty()) << model.key;
    const bool is_of_few_bits = model.key == "llama-qlora" || model.key == "llama-spinquant";
    EXPECT_EQ(model.sizes[2].double_bytes > 2 * *model.sizes[2].weight_bytes, is_of_few_bits)
        << model.key;
    EXPECT_LE(model.sizes[0].weight_bytes, model.sizes[2].weight_bytes) << model.key;
  }
}

TEST(Zoo, WhoDoesNotTakeAModelIsData) {
  const auto gcn = find_model(system_disk(), "gcn");
  ASSERT_TRUE(gcn && *gcn);
  EXPECT_EQ(std::ranges::count((*gcn)->not_by, "iree"), 1);
  const auto conv = find_model(system_disk(), "conv");
  ASSERT_TRUE(conv && *conv);
  EXPECT_TRUE((*conv)->not_by.empty());
}

}  // namespace
}  // namespace assay

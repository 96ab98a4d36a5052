#include "base/rows.h"

#include <gtest/gtest.h>

#include <span>

namespace assay {
namespace {

struct Fruit {
  std::string_view name;
  int seeds;
};

// As a source in tests/extension/ has it.
const AddedRow<Fruit> kMelon({"melon", 500});

std::span<const Fruit> fruits() {
  static const std::vector<Fruit> table = with_added_rows<Fruit>({{"apple", 5}, {"cherry", 1}});
  return table;
}

TEST(Rows, ATableHasItsOwnRowsAndThenWhatWasAdded) {
  EXPECT_EQ(names_of(fruits()), (std::vector<std::string>{"apple", "cherry", "melon"}));
  ASSERT_TRUE(find_row(fruits(), "melon"));
  EXPECT_EQ(find_row(fruits(), "melon")->seeds, 500);
  EXPECT_EQ(find_row(fruits(), "cherry"), &fruits()[1]);
  EXPECT_EQ(find_row(fruits(), "cherr"), nullptr);
}

}  // namespace
}  // namespace assay

#include "report/windows.h"

#include <gtest/gtest.h>

#include "report/example_run.h"

namespace assay {
namespace {

const std::vector<WindowRecord> kWindows{
    {0, 0, 0, 1, WindowUse::null, 1, 90'000, 20'000, ""},
    {0, 1, 0, 2, WindowUse::pair, 12, 3'100'000, 3'000'000, "full/own/12", 3'010'000, 40},
    {10, 1, 1, 0, WindowUse::pair, 12, 2'100'000, 2'000'000, "full/own/12", {}, 0, 500}};

TEST(Windows, EachIsALineWithItsSideByName) {
  Attempt attempt = example_launches("product", {0.5});
  attempt.stages[3].evidence["against"].push_back({{"baseline", "iree"}, {"unusable", "why"}});
  EXPECT_EQ(
      windows_table(attempt, kWindows),
      "LAUNCH  ROUND  PLACE  SIDE   USE   CALLS  WALL_NS  CPU_NS   PROCESS_CPU_NS  WAITED_NS  "
      "AROUND_CPU_NS  INPUTS\n"
      "0       0      0      eager  null  1      90000    20000    -               0          0\n"
      "0       1      0      iree   pair  12     3100000  3000000  3010000         40         "
      "0              full/own/12\n"
      "10      1      1      it     pair  12     2100000  2000000  -               0          "
      "500            full/own/12\n");
}

TEST(Windows, OfAMeasurementThatWasEndedSidesHaveNumbers) {
  Attempt attempt = example_launches("product", {0.5});
  attempt.stages[3].status = StageStatus::rejected;
  attempt.stages[3].evidence = nullptr;
  const std::string table = windows_table(attempt, kWindows);
  EXPECT_TRUE(table.contains("baseline 1")) << table;
  EXPECT_TRUE(table.contains("baseline 2")) << table;
}

}  // namespace
}  // namespace assay

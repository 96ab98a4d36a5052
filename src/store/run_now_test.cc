#include "store/run_now.h"

#include <gtest/gtest.h>

#include "fakes/temporary_folder.h"

namespace assay {
namespace {

TEST(RunNow, WhatIsWrittenIsRead) {
  TemporaryFolder folder;
  EXPECT_FALSE(read_now(system_disk(), folder.path()));
  RunNow now{
      .begun_s = 100, .changed_s = 160, .planned = 10, .at_most = 12, .reused = 4, .finished = 2};
  now.waits = true;
  now.under_way = {{"suite/_/local/a", Stage::verify, 150}};
  ASSERT_TRUE(write_now(system_disk(), folder.path(), now));
  const auto read = read_now(system_disk(), folder.path());
  ASSERT_TRUE(read);
  EXPECT_EQ(to_json(*read), to_json(now));
}

TEST(RunNow, WhatIsNoneIsNothing) {
  TemporaryFolder folder;
  for (
      const char* text :
      {"", "{}", "[]", "null", "{\"begun_s\": 1}", "{\"begun_s\": \"x\"}",
       R"({"begun_s":1,"changed_s":1,"planned":-1,"at_most":0,"reused":0,"finished":0,"waits":false,"under_way":[]})",
       R"({"begun_s":1,"changed_s":1,"planned":1,"at_most":0,"reused":0,"finished":0,"waits":false,"under_way":[{"what":"a","stage":"dance","since_s":1}]})"}) {
    ASSERT_TRUE(system_disk().write(folder.path() + "/.now.json", text));
    EXPECT_FALSE(read_now(system_disk(), folder.path())) << text;
  }
}

TEST(RunNow, TheRestTakesAsLongAsWhatIsDone) {
  RunNow now{.begun_s = 100, .planned = 10, .reused = 4, .finished = 2};
  EXPECT_EQ(seconds_left(now, 160), 120);
  now.finished = 6;
  EXPECT_EQ(seconds_left(now, 160), 0);
  now.finished = 7;  // more than was planned
  EXPECT_EQ(seconds_left(now, 160), std::nullopt);
  now.finished = 0;
  EXPECT_EQ(seconds_left(now, 160), std::nullopt) << "nobody knows yet";
  now.finished = 1;
  EXPECT_EQ(seconds_left(now, 99), std::nullopt) << "the clock was set back";
}

TEST(RunNow, ASearchComesToNoMoreThanItMay) {
  const RunNow now{.begun_s = 100, .at_most = 12, .finished = 2};
  EXPECT_EQ(seconds_left_at_most(now, 2, 160), 300);
  EXPECT_EQ(seconds_left_at_most(now, 11, 160), 30) << "most of them were there before";
  EXPECT_EQ(seconds_left_at_most(now, 13, 160), std::nullopt);
}

}  // namespace
}  // namespace assay

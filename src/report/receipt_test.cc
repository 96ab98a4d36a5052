#include "report/receipt.h"

#include <gtest/gtest.h>

#include "report/example_run.h"

namespace assay {
namespace {

Receipt example_receipt() {
  static const SigningKey key = *SigningKey::make();
  Attempt attempt = example_timed(example_verified("sum", "local"),
                                  {"eager", 2, 1.9, 2.1, Outcome::faster, "", {}, {}});
  attempt.verdict = verdict_of(attempt.stages);
  return sign_receipt(receipt_of(attempt, example_run().run, "windows"), key);
}

TEST(Receipt, WhatIsWrittenIsRead) {
  const Receipt receipt = example_receipt();
  auto read = read_receipt(to_text(receipt), "receipt.json");
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_EQ(read->says, receipt.says);
  EXPECT_EQ(read->key, receipt.key);
  EXPECT_EQ(verdict_of_receipt(read->says), "accepted, faster");
}

TEST(Receipt, AnyByteThatIsAnotherShows) {
  const std::string good = to_text(example_receipt());
  for (size_t at = 0; at < good.size(); at += 7) {
    std::string changed = good;
    changed[at] = changed[at] == 'x' ? 'y' : 'x';
    EXPECT_FALSE(read_receipt(changed, "receipt.json")) << at;
    changed = good;
    changed.erase(at, 1);
    EXPECT_FALSE(read_receipt(changed, "receipt.json")) << at;
  }
  EXPECT_FALSE(read_receipt(good + " ", "receipt.json"));
}

// A reader that takes the first of two would read "accepted".
TEST(Receipt, AFieldThatIsThereTwiceShows) {
  std::string twice = to_text(example_receipt());
  twice.insert(twice.find("\"attempt\""), "\"verdict\": \"rejected\",\n  ");
  auto read = read_receipt(twice, "receipt.json");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::corrupt);
}

TEST(Receipt, WhatIsNoneSaysWhatMakesOne) {
  for (const char* text :
       {"", "{}", "[]", "null", "{\"receipt\": 1}", "{\"receipt\": 1, \"says\": 3}", "hello"}) {
    auto read = read_receipt(text, "x.json");
    ASSERT_FALSE(read) << text;
    EXPECT_TRUE(read.error().message.contains("x.json is no receipt")) << text;
  }
  auto newer = read_receipt("{\"receipt\": 2}", "x.json");
  ASSERT_FALSE(newer);
  EXPECT_TRUE(newer.error().message.contains("another format"));
}

TEST(Receipt, OfWhatDidNotPassHasItsReason) {
  Attempt attempt = example_verified("sum", "local");
  attempt.stages.back().status = StageStatus::rejected;
  attempt.stages.back().rule = "precision";
  attempt.verdict = verdict_of(attempt.stages);
  EXPECT_EQ(verdict_of_receipt(attempt), "rejected: precision");
}

}  // namespace
}  // namespace assay

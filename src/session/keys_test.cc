#include "session/keys.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Fingerprint, WhatIsOnlyTimedOtherwiseIsOnlyTimed) {
  EXPECT_EQ(left_to_do(Verdict::accepted, "a", "a"), Left::nothing);
  EXPECT_EQ(left_to_do(Verdict::accepted, "a", "b"), Left::all);
  EXPECT_EQ(left_to_do(Verdict::not_judged, "a", "a"), Left::all) << "perhaps it can be now";
  EXPECT_EQ(left_to_do(Verdict::accepted, "a", "a-t"), Left::timing);
  EXPECT_EQ(left_to_do(Verdict::accepted, "a-s", "a-t"), Left::timing);
  EXPECT_EQ(left_to_do(Verdict::accepted, "a-t", "a"), Left::nothing) << "its times stay";
  EXPECT_EQ(left_to_do(Verdict::accepted, "a", "b-t"), Left::all);
  EXPECT_EQ(left_to_do(Verdict::rejected, "a", "a-t"), Left::nothing) << "it would be again";
  EXPECT_EQ(left_to_do(Verdict::rejected, "a-s", "a-t"), Left::all) << "perhaps in a timed window";
}

}  // namespace
}  // namespace assay

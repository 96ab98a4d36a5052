#include "session/keys.h"

#include <gtest/gtest.h>

#include "fakes/memory_disk.h"

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

TEST(Fingerprint, ABaselineWithOtherFlagsIsAnother) {
  const MemoryDisk disk;
  Target one, other;
  one.tuning = {.configuration = "fast", .flags = {"--x=1"}};
  other.tuning = {.configuration = "fast", .flags = {"--x=2"}};
  Planned planned;
  planned.candidate.form = &artifact_form();
  planned.baselines = {{.author = "iree@fast", .target = &one}};
  planned.baselines[0].candidate.form = &artifact_form();
  const CandidateSubject before = candidate_subject(disk, planned);
  planned.baselines[0].target = &other;
  EXPECT_NE(candidate_subject(disk, planned).baselines, before.baselines);
}

// What a tool that is not here had to say is asked for again when it is.
TEST(CompileKey, WithCountersIsOfTheToolsThatCount) {
  const ExportSubject subject;
  const Target target;
  RunSettings settings;
  Tools without, with;
  with.code.ptxas = "/cuda/ptxas";
  auto key = [&](const Tools& tools) {
    return compile_key(subject, "program", target, settings, tools).ingredients;
  };
  EXPECT_EQ(key(without), key(with));
  settings.counters = true;
  EXPECT_NE(key(without), key(with));
}

}  // namespace
}  // namespace assay

// Verification on a device that is no CPU: memory of its own, and work that is queued. The device
// is a fake (tests/fake_device.h); runner, judge and what lies between are real processes and real
// code.
#include "model/device.h"

#include "built.h"
#include "fakes/verification.h"

namespace assay {
namespace {

const Runner& runner_with_device() {
  static const Runner runner{
      .name = "fake device", .title = "", .image = nullptr, .device = kFakeDevice};
  return runner;
}

const Form& form_on_device() {
  static const Form form{
      .title = "fake", .holds = Form::Holds::kernel, .runner = runner_with_device};
  return form;
}

class AsynchronousDevice : public VerificationTest {
 protected:
  void SetUp() override {
    VerificationTest::SetUp();
    job_.form = &form_on_device();
    tools_.runners["fake device"] = tools_.runners.at("native");
  }
};

TEST_F(AsynchronousDevice, AnHonestCandidateIsAcceptedAndTheRecordNamesTheDevice) {
  StageRecord record = verified("queued");
  ASSERT_EQ(record.status, StageStatus::ok) << in_a_line(record) << record.detail;
  EXPECT_GE(record.evidence["rounds"].size(), 10u);
  ASSERT_GE(record.evidence["launches"].size(), 2u);
  for (const Json& launch : record.evidence["launches"])
    EXPECT_EQ(launch["device"], to_json(kFakeDevice));
}

TEST_F(AsynchronousDevice, DoneBeforeTheQueueIsDrainedLeavesOutputsUnwritten) {
  StageRecord record = verified("queued, and says done at once");
  EXPECT_EQ(record.rule, "unwritten") << in_a_line(record);
}

TEST_F(AsynchronousDevice, WorkOnAStreamThatNobodyWaitsForLeavesOutputsUnwritten) {
  EXPECT_EQ(verified("on another stream").rule, "unwritten");
}

TEST_F(AsynchronousDevice, WorkThatIsDoneInTheCallComesBeforeItsInputs) {
  EXPECT_EQ(verified("at once").rule, "unwritten");
}

TEST_F(AsynchronousDevice, ValuesOfTheWindowBeforeAreRejected) {
  StageRecord record = verified("reads too early");
  EXPECT_EQ(record.status, StageStatus::rejected) << in_a_line(record);
  // Its first call was in order.
  ASSERT_GE(record.evidence["rounds"].size(), 2u);
  EXPECT_FALSE(record.evidence["rounds"][0].contains("complaints"));
  EXPECT_TRUE(record.rule == "wrong" || record.rule == "precision") << in_a_line(record);
}

TEST_F(AsynchronousDevice, WhatNeverCompletesTimesOutAndIsToldFromACallThatDoesNotReturn) {
  job_.timeout_ns = 10 * kSecond;
  StageRecord record = verified("never completes");
  EXPECT_EQ(record.failure, FailureClass::timeout) << in_a_line(record);
  EXPECT_NE(record.error.find("the device had not finished what one call queued"),
            std::string::npos)
      << record.error;
  record = verified("hangs");
  EXPECT_EQ(record.failure, FailureClass::timeout) << in_a_line(record);
  EXPECT_NE(record.error.find("one call was still running"), std::string::npos) << record.error;
}

TEST_F(AsynchronousDevice, RedZonesLieInItsMemoryToo) {
  EXPECT_EQ(verified("writes too far on the device").rule, "out-of-bounds");
}

TEST_F(AsynchronousDevice, ACrashWithWorkQueuedIsACrash) {
  EXPECT_EQ(verified("dies with work queued").failure, FailureClass::crash);
}

TEST_F(AsynchronousDevice, ARunnerThatServesAnotherIsNotUsed) {
  for (const char* candidate : {"is on another device", "is on no device"}) {
    StageRecord record = verified(candidate);
    EXPECT_EQ(record.failure, FailureClass::protocol) << in_a_line(record);
    EXPECT_NE(record.error.find("its runner was asked for fake:2, queued, device memory"),
              std::string::npos)
        << record.error;
  }
  EXPECT_EQ(verified("has no device").status, StageStatus::unsupported);
}

TEST_F(AsynchronousDevice, TheRunnerOfNativeCandidatesSaysThatItHasNone) {
  tools_.runners["fake device"] = {"launch", {built::kLaunch, built::kNativeRunner}, {}};
  if (tools_.limits.jail) tools_.limits.jail->read_only.emplace_back(built::kNativeRunner);
  StageRecord record = verified("no library: it does not come to that");
  EXPECT_EQ(record.status, StageStatus::unsupported) << in_a_line(record);
  EXPECT_NE(record.error.find("not on fake:2"), std::string::npos) << record.error;
}

TEST(Device, ReadsWhatItWritesAndNothingElse) {
  for (const Device& device : {Device{}, kFakeDevice}) {
    auto read = device_from_json(to_json(device));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, device);
  }
  EXPECT_EQ(in_words(Device{}), "cpu:0, synchronous, host memory");
  const std::pair<const char*, Json> wrongs[] = {
      {"kind", 1},         {"index", -1},      {"index", int64_t{1} << 40},
      {"stream", "later"}, {"memory", "lost"}, {"memory", nullptr}};
  for (const auto& [name, value] : wrongs) {
    Json wrong = to_json(Device{});
    wrong[name] = value;
    EXPECT_FALSE(device_from_json(wrong)) << wrong;
  }
  EXPECT_FALSE(device_from_json(Json()));
  EXPECT_FALSE(device_from_json(Json::array()));
}

}  // namespace
}  // namespace assay

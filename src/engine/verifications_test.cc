#include "engine/verifications.h"

#include <map>

#include "fakes/verification.h"

namespace assay {
namespace {

class VerificationsTest : public VerificationTest {
 protected:
  // The engine's loop, for a moment.
  void serve(Verifications& verifications) {
    verifications.switchboard().serve();
    auto event = spawner_->next(kSecond / 20);
    ASSERT_TRUE(event) << event.error().describe();
    verifications.switchboard().deliver(*event);
  }

  VerifyJob job(const std::string& candidate) {
    job_.problem = "is sound";
    job_.candidate = candidate;
    return job_;
  }
};

TEST_F(VerificationsTest, SeveralRunSideBySideAndEachEndsWithItsOwnFinding) {
  Verifications verifications(*spawner_);
  const char* candidates[] = {"on cpu", "wrong", "dies"};
  for (const char* candidate : candidates) {
    Task task;
    task.note = candidate;
    verifications.start(std::move(task), job(candidate), tools_);
  }
  EXPECT_EQ(verifications.count(), 3u);
  std::map<std::string, StageRecord> records;
  while (records.size() < 3) {
    serve(verifications);
    for (Verifications::Ended& each : verifications.take_ended()) {
      ASSERT_TRUE(each.verified) << each.verified.error().describe();
      records[each.task.note] = each.verified->stages.back();
    }
  }
  EXPECT_EQ(verifications.count(), 0u);
  EXPECT_EQ(records["on cpu"].status, StageStatus::ok) << in_a_line(records["on cpu"]);
  EXPECT_EQ(records["wrong"].rule, "wrong");
  EXPECT_EQ(records["dies"].failure, FailureClass::crash);
}

TEST_F(VerificationsTest, AllEndWhileTheyRunWhereverTheyAre) {
  // From before the first process is started to the middle of a window.
  for (int served : {0, 1, 3, 10, 40}) {
    Verifications verifications(*spawner_);
    for (const char* candidate : {"hangs", "on cpu", "hangs"})
      verifications.start({}, job(candidate), tools_);
    for (int i = 0; i < served; ++i) serve(verifications);
    verifications.end_all();
    EXPECT_EQ(verifications.count(), 0u);
    EXPECT_TRUE(verifications.take_ended().empty());
  }
  spawner_->stop_all();
}

TEST_F(VerificationsTest, GoingAwayEndsThem) {
  {
    Verifications verifications(*spawner_);
    verifications.start({}, job("hangs"), tools_);
    serve(verifications);
  }
  spawner_->stop_all();
}

}  // namespace
}  // namespace assay

#include "engine/verifications.h"

#include <map>

#include "base/clock.h"
#include "base/memory_gauge.h"
#include "fakes/verification.h"

namespace assay {
namespace {

class VerificationsTest : public VerificationTest {
 protected:
  // The engine's loop, for a moment.
  void serve(Verifications& verifications) {
    verifications.switchboard().serve();
    verifications.memory().serve(false);
    auto event = spawner_->next(kSecond / 20);
    ASSERT_TRUE(event) << event.error().describe();
    verifications.switchboard().deliver(*event);
  }

  VerifyJob job(const std::string& candidate) {
    job_.problem = "is sound";
    job_.candidate = candidate;
    return job_;
  }

  SystemMemory memory_;
};

TEST_F(VerificationsTest, SeveralRunSideBySideAndEachEndsWithItsOwnFinding) {
  Verifications verifications(*spawner_, memory_, system_clock());
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
    for (auto& [task, verified] : verifications.take_ended()) {
      ASSERT_TRUE(verified) << verified.error().describe();
      records[task.note] = verified->stages.back();
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
    Verifications verifications(*spawner_, memory_, system_clock());
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
    Verifications verifications(*spawner_, memory_, system_clock());
    verifications.start({}, job("hangs"), tools_);
    serve(verifications);
  }
  spawner_->stop_all();
}

}  // namespace
}  // namespace assay

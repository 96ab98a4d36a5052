// What front ends are tested with: a session that judges fakes in real processes.
#pragma once

#include <string>

#include "author/author.h"
#include "base/memory_gauge.h"
#include "fakes/temporary_folder.h"
#include "fakes/verification.h"
#include "serve/served.h"

namespace assay {

inline Target target_named(const std::string& name) {
  Target target;
  target.name = name;
  return target;
}

class ServingTest : public VerificationTest {
 protected:
  void SetUp() override {
    VerificationTest::SetUp();
    settings_.tools.verify = tools_;
    settings_.tools.verify.runners["python"] = tools_.runners.at("native");
    settings_.run.timeout_ns = 60 * kSecond;
    settings_.run.memory_bytes = uint64_t{1} << 30;
    settings_.jobs = 2;
    settings_.targets = {target_named("local")};
  }

  World world(Events& events) {
    return {system_disk(), memory_, system_clock(), *spawner_, cache_, libraries_, events};
  }

  void time_against_eager() {
    settings_.run.timing =
        TimingSettings{.against = {"eager"}, .quick = true, .budget_ns = 5 * kSecond};
    settings_.baselines = {*find_author(system_disk(), "eager", "--against")};
  }

  GradeSettings settings_;
  TemporaryFolder folder_;

 private:
  SystemMemory memory_{system_disk()};
  Cache cache_{system_disk(), folder_.path() + "/cache"};
};

}  // namespace assay

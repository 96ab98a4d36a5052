#include "session/missing_module.h"

#include <gtest/gtest.h>

#include "fakes/memory_disk.h"

namespace assay {
namespace {

std::string explained(const std::string& error) {
  MemoryDisk disk;
  Attempt attempt;
  attempt.path = "/suite/add.py";
  StageRecord stage;
  stage.status = StageStatus::failed;
  stage.error = error;
  explain_missing_module(disk, "/bin/python3", attempt, stage);
  return stage.error;
}

TEST(MissingModule, SaysWhatInstallsIt) {
  EXPECT_EQ(explained("ModuleNotFoundError: No module named 'yaml'"),
            "ModuleNotFoundError: No module named 'yaml': `/bin/python3 -m pip install pyyaml` "
            "brings it");
}

// A word of the model's own, within a package that is there.
TEST(MissingModule, SaysNothingOfAPartOfWhatIsInstalled) {
  const std::string error = "ModuleNotFoundError: No module named 'triton.langauge'";
  EXPECT_EQ(explained(error), error);
}

}  // namespace
}  // namespace assay

#include "base/shared_folders.h"

#include <gtest/gtest.h>

#include "fakes/temporary_folder.h"

namespace assay {
namespace {

class SharedFoldersTest : public testing::Test {
 protected:
  SharedFolders of(const std::string& identity) {
    return {system_disk(), parent_.path() + "/headers", identity, 2};
  }
  FolderInUse added(const std::string& name, const std::string& identity = "mine") {
    auto folder = of(identity).add(name, [](const std::string& path) -> Status {
      ASSAY_TRY(system_disk().make_directories(path));
      return system_disk().write(path + "/file", "text");
    });
    EXPECT_TRUE(folder) << folder.error().describe();
    return folder ? std::move(*folder) : FolderInUse{};
  }
  bool has(const std::string& name, const std::string& identity = "mine") {
    return !of(identity).find(name).path.empty();
  }

  TemporaryFolder parent_;
};

TEST_F(SharedFoldersTest, TheOneThatWasNotUsedForLongestGivesWay) {
  added("a");
  added("b");
  EXPECT_TRUE(has("a")) << "and is used by that";
  FolderInUse c = added("c");
  EXPECT_TRUE(system_disk().exists(c.path + "/file"));
  EXPECT_TRUE(has("a"));
  EXPECT_FALSE(has("b"));
  EXPECT_TRUE(has("c"));
}

TEST_F(SharedFoldersTest, NoneIsRemovedThatSomebodyUses) {
  FolderInUse a = added("a");
  FolderInUse b = added("b");
  added("c");
  EXPECT_TRUE(system_disk().exists(a.path + "/file"));
  EXPECT_TRUE(system_disk().exists(b.path + "/file"));
  a = {};
  added("d");
  EXPECT_FALSE(has("a"));
  EXPECT_TRUE(system_disk().exists(b.path + "/file"));
}

TEST_F(SharedFoldersTest, ThoseOfAnotherIdentityGoOnceNobodyUsesThem) {
  FolderInUse used = added("a", "before");
  added("b", "before");
  added("a");
  EXPECT_TRUE(system_disk().exists(used.path + "/file"));
  EXPECT_FALSE(has("b", "before"));
  used = {};
  added("b");
  EXPECT_FALSE(system_disk().exists(parent_.path() + "/headers/before"));
  EXPECT_TRUE(has("a"));
}

TEST_F(SharedFoldersTest, WhatCouldNotBeFilledIsNotThere) {
  auto failed = of("mine").add("a", [](const std::string& path) -> Status {
    ASSAY_TRY(system_disk().make_directories(path));
    return error(Code::io, "no space");
  });
  EXPECT_FALSE(failed);
  EXPECT_FALSE(has("a"));
  added("a");
  EXPECT_TRUE(has("a"));
}

}  // namespace
}  // namespace assay

#include "base/disk.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "fakes/temporary_folder.h"

namespace assay {
namespace {

class DiskTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return join_path(folder_, name); }

  TemporaryFolder temporary_;
  std::string folder_ = temporary_.path();
  Disk& disk_ = system_disk();
};

TEST_F(DiskTest, AFileIsWrittenWholeOrNotAtAll) {
  ASSERT_TRUE(disk_.write(path("a"), "one"));
  ASSERT_TRUE(disk_.write(path("a"), "two"));
  EXPECT_EQ(*disk_.read(path("a")), "two");
  auto failed = disk_.write(path("missing/a"), "x");
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message.find("missing/a"), std::string::npos);
  EXPECT_EQ(disk_.list(folder_)->size(), 1u) << "a temporary file was left";
}

TEST_F(DiskTest, AFileInPiecesAppearsWithItsCommit) {
  {
    auto file = disk_.create(path("a"));
    ASSERT_TRUE(file);
    ASSERT_TRUE((*file)->append("one, "));
    EXPECT_FALSE(disk_.exists(path("a")));
    ASSERT_TRUE((*file)->append("two"));
    ASSERT_TRUE((*file)->commit());
    ASSERT_TRUE((*disk_.create(path("b")))->append("never committed"));
  }
  EXPECT_EQ(*disk_.read(path("a")), "one, two");
  EXPECT_EQ(disk_.list(folder_)->size(), 1u);
}

TEST_F(DiskTest, WhatIsReadInsideAFolderLiesThere) {
  ASSERT_TRUE(disk_.make_directories(path("in/deep")));
  for (const char* name : {"in/a", "in/deep/b", "out"})
    ASSERT_TRUE(disk_.write(path(name), std::string("12345 ") + name));
  const std::string in = path("in");
  EXPECT_EQ(*disk_.read_inside(in, "a", 100), "12345 in/a");
  EXPECT_EQ(*disk_.read_inside(in, "deep/b", 100), "12345 in/deep/b");
  EXPECT_EQ(*disk_.read_inside(in, "a", 3), "123");
  ASSERT_EQ(::symlink(path("out").c_str(), path("in/link").c_str()), 0);
  ASSERT_EQ(::symlink(path("in/a").c_str(), path("in/near").c_str()), 0);
  ASSERT_EQ(::symlink("deep", path("in/to_deep").c_str()), 0);
  ASSERT_EQ(::mkfifo(path("in/pipe").c_str(), 0600), 0);
  for (const char* name : {"missing", "missing/b", "deep", "link", "near", "to_deep/b", "pipe",
                           "../out", "deep/../../out", "", "/etc/passwd", "deep/"})
    EXPECT_FALSE(disk_.read_inside(in, name, 100)) << name;
  EXPECT_TRUE(disk_.read_inside(path("in/to_deep/"), "b", 100)) << "the folder is the caller's";
}

TEST_F(DiskTest, AFullDiskIsAnErrorThatLeavesNothing) {
  auto failed = disk_.write("/dev/full/a", "x");
  ASSERT_FALSE(failed);
  EXPECT_FALSE(disk_.write("/proc/nothing", "x"));
}

TEST_F(DiskTest, LinksShareTheFileAndReplaceWhatIsThere) {
  ASSERT_TRUE(disk_.write(path("a"), "one", /*read_only=*/true));
  ASSERT_TRUE(disk_.write(path("b"), "old"));
  ASSERT_TRUE(disk_.link_or_copy(path("a"), path("b")));
  ASSERT_TRUE(disk_.link_or_copy(path("a"), path("b")));  // again: the same file
  struct stat a, b;
  ASSERT_EQ(stat(path("a").c_str(), &a), 0);
  ASSERT_EQ(stat(path("b").c_str(), &b), 0);
  EXPECT_EQ(a.st_ino, b.st_ino);
  EXPECT_EQ(disk_.list(folder_)->size(), 2u);
}

TEST_F(DiskTest, AnotherFileSystemGetsACopy) {
  ASSERT_TRUE(disk_.write(path("a"), "one"));
  std::string far = "/dev/shm/assay_disk_test_" + std::to_string(getpid());
  ASSERT_TRUE(disk_.link_or_copy(path("a"), far));
  EXPECT_EQ(*disk_.read(far), "one");
  ASSERT_TRUE(disk_.remove_all(far));
}

TEST_F(DiskTest, AFolderCanBeLockedOnce) {
  EXPECT_FALSE(is_locked(path(".lock"))) << "it is not there";
  auto lock = lock_file(path(".lock"));
  ASSERT_TRUE(lock);
  EXPECT_TRUE(is_locked(path(".lock")));
  auto second = lock_file(path(".lock"));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::refused);
  lock->reset();
  EXPECT_TRUE(lock_file(path(".lock")));
}

TEST_F(DiskTest, ListingsAreSortedAndFollowLinks) {
  ASSERT_TRUE(disk_.make_directories(path("z/inner")));
  ASSERT_TRUE(disk_.write(path("b"), ""));
  ASSERT_EQ(symlink(path("z").c_str(), path("a").c_str()), 0);
  ASSERT_EQ(symlink(path("loop").c_str(), path("loop").c_str()), 0);
  auto entries = disk_.list(folder_);
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 4u);
  EXPECT_EQ((*entries)[0].name, "a");
  EXPECT_TRUE((*entries)[0].is_directory);
  EXPECT_FALSE((*entries)[2].is_directory) << "a link to itself";
  EXPECT_TRUE((*entries)[2].is_file);
}

TEST_F(DiskTest, ATreeThatForbidsItselfIsRemoved) {
  ASSERT_TRUE(disk_.make_directories(path("a/b/c")));
  ASSERT_TRUE(disk_.write(path("a/b/c/file"), ""));
  for (const char* folder : {"a/b/c", "a/b", "a"}) ASSERT_EQ(chmod(path(folder).c_str(), 0), 0);
  ASSERT_TRUE(disk_.remove_all(path("a")));
  EXPECT_FALSE(disk_.exists(path("a")));
}

TEST_F(DiskTest, WhatIsNoFileIsNotRead) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  auto pipe = disk_.read(path("pipe"));
  ASSERT_FALSE(pipe);
  EXPECT_NE(pipe.error().message.find("no regular file"), std::string::npos);
  EXPECT_FALSE(disk_.read(folder_));
  EXPECT_FALSE(disk_.list(folder_)->front().is_file);
}

}  // namespace
}  // namespace assay

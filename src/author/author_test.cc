#include "author/author.h"

#include <gtest/gtest.h>

#include "fakes/memory_disk.h"

namespace assay {
namespace {

TEST(Author, AFileByItselfIsOneCandidateWhateverElseIsRun) {
  MemoryDisk disk;
  disk.files["/mine/shift__s2.py"] = "";
  auto author = find_author(disk, "file:/mine/shift__s2.py");
  ASSERT_TRUE(author) << author.error().describe();
  EXPECT_EQ(author->name, "shift__s2.py");
  for (bool lone : {true, false}) {
    auto found = candidates(disk, *author, "", "shift", lone);
    ASSERT_TRUE(found && found->size() == 1);
    EXPECT_EQ(found->front().number, 1);
    EXPECT_EQ(found->front().path, "/mine/shift__s2.py");
  }
  EXPECT_EQ(candidates(disk, *author, "", "other", true)->size(), 1u);
  EXPECT_TRUE(candidates(disk, *author, "", "other", false)->empty());
}

TEST(Author, WhatIsReplayedKeepsItsNumber) {
  MemoryDisk disk;
  disk.files["/mine/shift__s7.c"] = "";
  auto author = find_author(disk, "file:/mine/shift__s7.c");
  ASSERT_TRUE(author);
  author->number = 7;
  EXPECT_EQ(candidates(disk, *author, "", "shift", true)->front().number, 7);
}

TEST(Author, FilesOfAFolderAreCandidatesByTheirNumbers) {
  MemoryDisk disk;
  ASSERT_TRUE(disk.make_directories("/mine"));
  for (const char* name : {"shift.py", "shift__s3.c", "other.py", "_shift.py", "shift.txt"})
    disk.files[std::string("/mine/") + name] = "";
  auto author = find_author(disk, "file:/mine");
  ASSERT_TRUE(author);
  EXPECT_EQ(author->name, "mine");
  auto found = candidates(disk, *author, "", "shift", true);
  ASSERT_TRUE(found && found->size() == 2);
  EXPECT_EQ((*found)[0].path, "/mine/shift.py");
  EXPECT_EQ((*found)[1].number, 3);
  EXPECT_EQ((*found)[1].kind, CandidateKind::source);
  auto all = candidate_files(disk, *author, "");
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), 3u) << "the one for another problem, too";
}

}  // namespace
}  // namespace assay

#include "cli/report_sink.h"

#include <gtest/gtest.h>

#include "fakes/memory_disk.h"

namespace assay {
namespace {

void write_two_files(ReportSink& sink) {
  sink.begin_file("a.log");
  sink.write("one, ");
  sink.write("two");
  sink.begin_file("b.json");
  sink.write(std::string(1 << 20, 'x'));  // more than a piece
  sink.write("y");
}

TEST(DiskSink, FilesGoIntoAFolderWhole) {
  MemoryDisk disk;
  DiskSink sink(disk, "/folder/");
  write_two_files(sink);
  ASSERT_TRUE(sink.finish());
  EXPECT_EQ(disk.files.at("/folder/a.log"), "one, two");
  EXPECT_EQ(disk.files.at("/folder/b.json"), std::string(1 << 20, 'x') + "y");
}

TEST(DiskSink, ASingleFileHasThePathAsItsName) {
  MemoryDisk disk;
  DiskSink sink(disk, "/page");
  sink.begin_file("report.md");
  sink.write("text");
  ASSERT_TRUE(sink.finish());
  EXPECT_EQ(disk.files, (std::map<std::string, std::string>{{"/page", "text"}}));
}

TEST(DiskSink, AFullDiskIsToldOnceAndLeavesNoHalfFile) {
  MemoryDisk disk;
  disk.writes_until_full = 1;
  DiskSink sink(disk, "/folder/");
  write_two_files(sink);
  auto failed = sink.finish();
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message.find("b.json"), std::string::npos);
  EXPECT_TRUE(disk.files.contains("/folder/a.log"));
  EXPECT_FALSE(disk.files.contains("/folder/b.json"));
}

}  // namespace
}  // namespace assay

#include "cli/write_rendered.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/disk.h"
#include "fakes/temporary_folder.h"
#include "report/example_run.h"
#include "store/run_store.h"

namespace assay {
namespace {

class WriteRendered : public testing::Test {
 protected:
  Status write(const std::vector<std::string>& files, const std::string& to) {
    Output output;
    return write_rendered({"some", files,
                           [&](ReportSink& sink) {
                             for (const std::string& file : files) {
                               sink.begin_file(file);
                               sink.write("text of " + file);
                             }
                           }},
                          to, output);
  }
  std::string text(const std::string& name) { return system_disk().read(path(name)).value_or(""); }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }

  TemporaryFolder folder_;
};

TEST_F(WriteRendered, AFileIsWhatThePathSays) {
  ASSERT_TRUE(write({"report.json"}, path("x.txt")));
  EXPECT_EQ(text("x.txt"), "text of report.json");
  ASSERT_TRUE(write({"eval_results.json"}, path("y.json")));
  EXPECT_EQ(text("y.json"), "text of eval_results.json");
  EXPECT_FALSE(write({"report.json"}, path("nowhere/x.json"))) << "a folder is asked for by a /";
}

TEST_F(WriteRendered, AFolderTakesFilesUnderTheirNames) {
  ASSERT_TRUE(write({"report.json"}, path("new/")));
  EXPECT_EQ(text("new/report.json"), "text of report.json");
  ASSERT_TRUE(write({"report.md"}, path("new")));
  EXPECT_EQ(text("new/report.md"), "text of report.md");
  ASSERT_TRUE(write({"a.log", "b.json"}, path("made")));
  EXPECT_EQ(text("made/b.json"), "text of b.json");
}

TEST_F(WriteRendered, SeveralFilesGoIntoNoFile) {
  for (const char* name : {"x.json", "there"}) {
    if (name[0] == 't') {
      ASSERT_TRUE(write({"one"}, path(name)));
    }
    auto refused = write({"a.log", "b.json"}, path(name));
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().message.contains("a.log, b.json")) << refused.error().message;
    EXPECT_FALSE(std::filesystem::is_directory(path(name)));
  }
  ASSERT_FALSE(write({"a.log", "b.json"}, "")) << "nor into standard output";
}

// Else `--to /dev/null`, as root, would put a file in the place of the device.
TEST_F(WriteRendered, WhatIsNoFileIsWrittenToAndNotReplaced) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  const int reader = ::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_TRUE(write({"report.md"}, path("pipe")));
  std::string read(100, '\0');
  read.resize(static_cast<size_t>(::read(reader, read.data(), read.size())));
  ::close(reader);
  EXPECT_EQ(read, "text of report.md");
  EXPECT_TRUE(std::filesystem::is_fifo(path("pipe")));
}

TEST_F(WriteRendered, ALinkStaysAndWhatItLeadsToIsWritten) {
  ASSERT_TRUE(write({"old"}, path("file")));
  std::filesystem::create_symlink("file", path("link"));
  ASSERT_TRUE(write({"report.md"}, path("link")));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(text("file"), "text of report.md");
}

TEST_F(WriteRendered, ALinkToNowhereStaysAndWhatItLeadsToIsMade) {
  ASSERT_TRUE(system_disk().make_directories(path("folder")));
  std::filesystem::create_symlink("folder/new", path("second"));
  std::filesystem::create_symlink("second", path("first"));
  ASSERT_TRUE(write({"report.md"}, path("first")));
  EXPECT_TRUE(std::filesystem::is_symlink(path("first")));
  EXPECT_TRUE(std::filesystem::is_symlink(path("second")));
  EXPECT_EQ(text("folder/new"), "text of report.md");
  std::filesystem::create_symlink("circle", path("circle"));
  EXPECT_FALSE(write({"report.md"}, path("circle")));
  EXPECT_TRUE(std::filesystem::is_symlink(path("circle")));
}

TEST_F(WriteRendered, WhatARunIsKeptInIsNeverWrittenTo) {
  const ReportInput example = example_run();
  {
    ASSERT_TRUE(RunStore::open_to_write(system_disk(), path("run"), example.run));
  }
  const std::string before = text("run/assay.sqlite");
  ASSERT_FALSE(before.empty());
  std::filesystem::create_symlink("run/assay.sqlite", path("link"));
  for (const char* name : {"run/assay.sqlite", "run/assay.sqlite-wal", "run/.lock", "link"}) {
    auto refused = write({"report.md"}, path(name));
    ASSERT_FALSE(refused) << name;
    EXPECT_TRUE(refused.error().message.contains("would destroy the run")) << name;
  }
  EXPECT_EQ(text("run/assay.sqlite"), before);
  ASSERT_TRUE(write({"report.md"}, path("run/report.md")));
  ASSERT_TRUE(write({"report.md"}, path("assay.sqlite"))) << "no run is there";
}

}  // namespace
}  // namespace assay

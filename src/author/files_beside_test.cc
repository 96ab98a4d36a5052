#include "author/files_beside.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "fakes/memory_disk.h"

namespace assay {
namespace {

const std::string kLoads = "from torch.utils.cpp_extension import load\n";

class FilesBeside : public testing::Test {
 protected:
  // The names of what is handed in with a candidate of this code, with blanks between.
  std::string handed_in(const std::string& code) {
    auto found = files_beside(disk_, candidate_, code);
    if (!found) return found.error().message;
    std::string names;
    for (const NamedText& file : *found) names += (names.empty() ? "" : " ") + file.name;
    return names;
  }

  MemoryDisk disk_;
  Candidate candidate_{.form = &python_form(), .path = "/mine/relu.py"};
};

TEST_F(FilesBeside, AreThoseWhoseNamesStandInQuotes) {
  for (const char* name : {"relu.cpp", "relu.cu", "csrc/a.cc", "relu.txt", "other.cpp", "b.h"})
    disk_.files[std::string("/mine/") + name] = name;
  EXPECT_EQ(handed_in(kLoads + "load('relu', ['relu.cpp', \"relu.cu\"])"), "relu.cpp relu.cu");
  EXPECT_EQ(handed_in(kLoads + "load('relu', [f\"{here}/csrc/a.cc\", here + '/b.h'])"),
            "b.h csrc/a.cc");
  EXPECT_EQ(handed_in(kLoads + "# it's like relu.cpp\nload('relu', ['relu.cpp'])"), "relu.cpp");
  EXPECT_EQ(handed_in(kLoads + "# relu.cpp\n'''relu.cpp\n''', 'relu.txt', 'csrc'"), "");
  EXPECT_EQ(handed_in(kLoads + "load('relu', ['missing.cpp'])"), "");
  auto found = files_beside(disk_, candidate_, kLoads + "'relu.cpp'");
  EXPECT_EQ(found->front().text, "relu.cpp");
}

TEST_F(FilesBeside, AreOfCandidatesThatAreFilesAndSpeakOfExtensions) {
  disk_.files["/mine/relu.cpp"] = "";
  EXPECT_EQ(handed_in("'relu.cpp'"), "");
  const std::string code = kLoads + "'relu.cpp'";
  EXPECT_EQ(handed_in(code), "relu.cpp");
  candidate_.code = std::make_shared<const std::string>(code);
  EXPECT_EQ(handed_in(code), "") << "of an answer, which has no folder";
  candidate_ = {.form = &cpp_form(), .path = "/mine/relu.cc"};
  EXPECT_EQ(handed_in(code), "");
  candidate_ = {.form = &python_form()};
  EXPECT_EQ(handed_in(code), "");
}

TEST_F(FilesBeside, AreLookedForInTheFolderAlone) {
  disk_.files["/mine/../secret.h"] = disk_.files["/secret.h"] = disk_.files["/mine/.h"] = "";
  EXPECT_EQ(handed_in(kLoads + "'../secret.h', '/secret.h', 'x/../../secret.h', '.h'"), "");
  for (const std::string& path : disk_.reads) EXPECT_FALSE(path.contains("..")) << path;
}

TEST_F(FilesBeside, HaveWhatTheyInclude) {
  disk_.files["/mine/csrc/relu.cpp"] = R"(
#include <torch/extension.h>
  # include "a.h"
#include"deep/b.h"
#include "missing.h"
#include "common.h
// "not.h"
)";
  disk_.files["/mine/csrc/a.h"] = "#include \"a.h\"\n#include \"c.h\"";
  disk_.files["/mine/csrc/deep/b.h"] = "#include \"c.h\"\n#include \"../../out.h\"";
  disk_.files["/mine/csrc/deep/c.h"] = disk_.files["/mine/c.h"] = disk_.files["/mine/not.h"] = "";
  EXPECT_EQ(handed_in(kLoads + "'csrc/relu.cpp'"),
            "c.h csrc/a.h csrc/deep/b.h csrc/deep/c.h csrc/relu.cpp");
}

TEST_F(FilesBeside, AreLimited) {
  std::string code = kLoads;
  for (int i = 0; i < 64; ++i) {
    const std::string name = "f" + std::to_string(i) + ".h";
    disk_.files["/mine/" + name] = "x";
    code += "'" + name + "'\n";
  }
  EXPECT_EQ(files_beside(disk_, candidate_, code)->size(), 64u);
  disk_.files["/mine/one_more.h"] = "x";
  EXPECT_TRUE(handed_in(code + "'one_more.h'").contains("more than 64 files or 524288 bytes"));

  disk_.files["/mine/large.h"] = std::string(kMostExtensionBytes, ' ');
  EXPECT_EQ(handed_in(kLoads + "'large.h'"), "large.h");
  EXPECT_TRUE(handed_in(kLoads + "'large.h', 'f0.h'").contains("more than 64 files"));
  disk_.files["/mine/large.h"] += " ";
  EXPECT_TRUE(handed_in(kLoads + "'large.h'").contains("'large.h' among them"));
}

}  // namespace
}  // namespace assay

#include "workload/suite_modules.h"

#include <gtest/gtest.h>

#include "fakes/temporary_folder.h"

namespace assay {
namespace {

TEST(SuiteModules, AreThoseThatTestsImportAndTheirs) {
  TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    ASSERT_TRUE(system_disk().make_directories(folder.path() + "/near"));
    ASSERT_TRUE(system_disk().make_directories(folder.path() + "/far"));
    ASSERT_TRUE(system_disk().write(folder.path() + "/" + name, text));
  };
  write("near/helpers.py", "from more.things import x\nimport helpers\n");
  write("far/helpers.py", "other");
  write("far/more.py", "x = 1\n");
  write("far/kernel.py", "the kernel's own");
  write("far/unused.py", "");
  const auto found = modules_imported(
      system_disk(), "import torch, helpers as h\ndef test():\n    from kernel import f\n",
      {folder.path() + "/near", folder.path() + "/far", folder.path() + "/nowhere"}, "kernel");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "helpers");
  EXPECT_TRUE(found[0].text.starts_with("from more"));
  EXPECT_EQ(found[1].name, "more");
  EXPECT_EQ(found[1].text, "x = 1\n");
}

}  // namespace
}  // namespace assay

#include "cli/find_configurations.h"

#include <gtest/gtest.h>

#include "base/disk.h"
#include "fakes/temporary_folder.h"

namespace assay {
namespace {

// A build of IREE as a wheel has it, of a version that is not installed.
TEST(FindConfigurations, WhatWasTunedHoldsForTheCompilerThatWillCompile) {
  const TemporaryFolder temporary;
  const std::string folder = temporary.path(), iree = folder + "/iree",
                    tuned = folder + "/tuned.toml";
  Disk& disk = system_disk();
  ASSERT_TRUE(disk.make_directories(iree + "/compiler/_mlir_libs"));
  ASSERT_TRUE(disk.write(iree + "/compiler/_mlir_libs/libIREECompiler.so", ""));
  ASSERT_TRUE(disk.write(iree + "/compiler/version.py", "VERSION = \"3.99.0\"\n"));
  auto found = [&](const std::string& version) {
    const std::string text =
        "[[configuration]]\nname = \"a\"\nworkload = \"op:a\"\nflags = [\"--x=1\"]\n"
        "compiler = \"" +
        version + "\"\n";
    EXPECT_TRUE(disk.write(tuned, text));
    return find_tuned_author(tuned, Places{}, folder, CompilerKind::library);
  };
  const auto same = found("3.99.0"), other = found("3.98.0");
  ASSERT_TRUE(same) << same.error().describe();
  EXPECT_EQ(same->configurations->size(), 1u);
  ASSERT_FALSE(other);
  EXPECT_TRUE(other.error().message.contains("tuned with IREE 3.98.0, and this is 3.99.0"))
      << other.error().describe();
  EXPECT_FALSE(find_tuned_author(tuned, Places{}, folder + "/none", CompilerKind::library));
}

}  // namespace
}  // namespace assay

#include "tune/tuned_files.h"

#include <gtest/gtest.h>

#include <set>

#include "fakes/memory_disk.h"
#include "session/own_targets.h"

namespace assay {
namespace {

TunedOperation won(const std::string& path, const std::string& name, const std::string& flag) {
  TunedOperation tuned;
  tuned.result.workload = tuned.result.known_as = path;
  tuned.result.target = "local";
  tuned.result.name = name;
  tuned.result.precision = "f32";
  tuned.result.compiler = "3.13.0";
  tuned.result.cpu = "this one";
  tuned.result.judged.emplace().ratio = 2;
  tuned.result.winner = {.name = "fast",
                         .flags = {flag},
                         .tuned_for = {.workload = path,
                                       .target = "local",
                                       .compiler = "3.13.0",
                                       .precision = "f32",
                                       .cpu = "this one"}};
  return tuned;
}

TunedOperation tiled(const std::string& path, const std::string& name) {
  TunedOperation tuned = won(path, name, "--x=1");
  Configuration& winner = *tuned.result.winner;
  winner.operation = "product";
  winner.types = {"f32"};
  winner.pipeline = "DoubleTilingExpert";
  winner.lowering = {{.key = "distribution", .values = {"8", "16", "0"}}};
  return tuned;
}

std::vector<TunedEntry> read(const Disk& disk) {
  auto entries = read_tuned(disk, "/run");
  EXPECT_TRUE(entries) << entries.error().describe();
  return entries.value_or(std::vector<TunedEntry>{});
}

size_t libraries(const MemoryDisk& disk) {
  size_t count = 0;
  for (const auto& [path, unused] : disk.files) count += path.starts_with("/run/tuned/") ? 1 : 0;
  return count;
}

TEST(TunedFiles, WhatWonForOthersStays) {
  MemoryDisk disk;
  ASSERT_TRUE(write_tuned(disk, "/run", {won("op:one", "one", "--x=1"), tiled("op:two", "two")}));
  EXPECT_EQ(libraries(disk), 1u);
  ASSERT_TRUE(write_tuned(disk, "/run", {won("op:one", "one", "--x=2")}));
  const auto entries = read(disk);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].configuration.tuned_for.workload, "op:two");
  EXPECT_TRUE(entries[0].comment.contains("# fast: 2x")) << entries[0].comment;
  EXPECT_EQ(entries[1].configuration.flags, std::vector<std::string>{"--x=2"});
  EXPECT_EQ(entries[1].configuration.tuned_for.compiler, "3.13.0");
  EXPECT_EQ(libraries(disk), 1u);
  // In another precision, or on another machine, something else may win.
  for (auto [what, value] : {std::pair{&TunedFor::precision, "bf16"},
                             {&TunedFor::cpu, "another"},
                             {&TunedFor::compiler, "3.14.0"}}) {
    MemoryDisk both = disk;
    TunedOperation other = won("op:one", "one", "--x=3");
    other.result.winner->tuned_for.*what = value;
    other.result.precision = other.result.winner->tuned_for.precision;
    other.result.cpu = other.result.winner->tuned_for.cpu;
    other.result.compiler = other.result.winner->tuned_for.compiler;
    ASSERT_TRUE(write_tuned(both, "/run", {other}));
    const auto kept = read(both);
    ASSERT_EQ(kept.size(), 3u) << value;
    EXPECT_NE(kept[1].configuration.name, kept[2].configuration.name);
  }
  // An interrupted search has no result.
  ASSERT_TRUE(write_tuned(disk, "/run", {}));
  EXPECT_EQ(read(disk).size(), 2u);
}

TEST(TunedFiles, WhatIsNoLongerFasterGoes) {
  MemoryDisk disk;
  TunedOperation tuned = tiled("op:one", "one");
  ASSERT_TRUE(write_tuned(disk, "/run", {tuned}));
  EXPECT_EQ(libraries(disk), 1u);
  Configuration won = *tuned.result.winner, other = won;
  other.lowering.front().values = {"4", "16", "0"};
  tuned.result.winner.reset();
  tuned.result.refuted = {other};
  ASSERT_TRUE(write_tuned(disk, "/run", {tuned}));
  EXPECT_EQ(libraries(disk), 1u) << "nothing says that it is no longer faster";
  won.name = "as the space has it";
  tuned.result.refuted = {other, won};
  ASSERT_TRUE(write_tuned(disk, "/run", {tuned}));
  EXPECT_TRUE(disk.files.empty());
}

// A problem of a file is known by its name and what it holds: in another checkout it is the same.
TEST(TunedFiles, AProblemIsTheSameWhereverItLies) {
  auto problem = [](const std::string& path, const std::string& content, const std::string& flag) {
    TunedOperation tuned = won("net", "net", flag);
    tuned.result.workload = path;
    tuned.result.content = content;
    set_winner(*tuned.result.winner, tuned.result);
    return tuned;
  };
  MemoryDisk disk;
  ASSERT_TRUE(write_tuned(disk, "/run", {problem("/here/net.py", "ab", "--x=1")}));
  const ConfiguredWorkload there{"/there/net.py", "net", "ab", {}},
      changed{"/here/net.py", "net", "cd", {}};
  const Configuration found = read(disk).front().configuration;
  EXPECT_EQ(found.tuned_for.workload, "net");
  EXPECT_FALSE(to_toml(found).contains("/here"));
  EXPECT_TRUE(is_for_workload(found.tuned_for, there));
  EXPECT_FALSE(is_for_workload(found.tuned_for, changed));
  // What is found there is in the place of what was found here; of what it holds now, beside it.
  ASSERT_TRUE(write_tuned(disk, "/run", {problem("/there/net.py", "ab", "--x=2")}));
  ASSERT_TRUE(write_tuned(disk, "/run", {problem("/here/net.py", "cd", "--x=3")}));
  const auto entries = read(disk);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].configuration.flags, std::vector<std::string>{"--x=2"});
  // An older assay wrote a path.
  const Configuration old{
      .name = "old", .flags = {"--x=1"}, .tuned_for = {.workload = "/here/net.py"}};
  EXPECT_TRUE(is_for_workload(old.tuned_for, changed));
  EXPECT_FALSE(is_for_workload(old.tuned_for, there));
}

TEST(TunedFiles, ProblemsOfOneNameAndOfAnyNameAreToldApart) {
  MemoryDisk disk;
  const std::string odd = "/some \"where\"\\else,\n/a b,c.py";
  ASSERT_TRUE(write_tuned(disk, "/run",
                          {tiled("/x/a.py", "a"), tiled("/y/a.py", "a"), tiled(odd, "a b,c#")}));
  std::set<std::string> names;
  const auto entries = read(disk);
  ASSERT_EQ(entries.size(), 3u);
  for (const TunedEntry& each : entries) names.insert(each.configuration.name);
  EXPECT_EQ(names.size(), 3u);
  EXPECT_EQ(libraries(disk), 3u);
  EXPECT_EQ(entries[2].configuration.tuned_for.workload, odd);
  EXPECT_TRUE(entries[2].configuration.name.starts_with("a_b_c__local_"));
}

TEST(TunedFiles, AFileThatCannotBeReadIsNotWrittenOver) {
  MemoryDisk disk;
  disk.files["/run/tuned.toml"] = "mine";
  EXPECT_FALSE(write_tuned(disk, "/run", {won("op:one", "one", "--x=1")}));
  EXPECT_EQ(disk.files.at("/run/tuned.toml"), "mine");
}

}  // namespace
}  // namespace assay

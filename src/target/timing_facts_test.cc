#include "target/timing_facts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fakes/sysfs.h"
#include "target/timing_advice.h"

namespace assay {
namespace {

TEST(TimingFacts, AreWhatTheKernelShows) {
  const TimingFacts facts = timing_facts(sysfs("workstation"), 7);
  EXPECT_EQ(facts.governor, "powersave");
  EXPECT_EQ(facts.boost, true);
  EXPECT_EQ(facts.smt, true);
  EXPECT_EQ(facts.siblings, std::vector<int>{3});
  EXPECT_EQ(facts.huge_pages, "always");
  EXPECT_EQ(facts.clock_source, "hpet");
  EXPECT_EQ(facts.throttles, 42);
  EXPECT_EQ(facts.is_isolated, true);
  EXPECT_EQ(facts.load, 3.2);
  EXPECT_EQ(facts.pressure_percent, 12.5);
  EXPECT_EQ(facts.steal_percent, 0.4);
  EXPECT_EQ(facts.is_virtual, false);
  EXPECT_EQ(timing_facts(sysfs("workstation"), 0).is_isolated, false);
}

TEST(TimingFacts, AreAbsentWhereTheKernelShowsNothing) {
  const TimingFacts facts = timing_facts(sysfs("bare"), 0);
  EXPECT_TRUE(facts.siblings.empty());
  EXPECT_FALSE(facts.throttles || facts.is_isolated || facts.load || facts.pressure_percent ||
               facts.steal_percent || facts.real_time);
  const Json json = to_json(facts);
  EXPECT_EQ(json.size(), 6u);
  for (const auto& [name, value] : json.items())
    EXPECT_EQ(value, name == "virtual machine" ? Json("yes") : Json()) << name;
}

// What is in a file that is none of the words that it can be is not understood.
TEST(TimingFacts, WhatIsOddIsAbsent) {
  MemoryDisk disk;
  disk.files["/sys/devices/system/cpu/intel_pstate/no_turbo"] = "maybe\n";
  disk.files["/sys/devices/system/cpu/cpufreq/boost"] = "1\n";
  disk.files["/sys/devices/system/cpu/smt/active"] = "\n";
  disk.files["/sys/kernel/mm/transparent_hugepage/enabled"] = "\n";
  disk.files["/proc/loadavg"] = "idle\n";
  disk.files["/proc/stat"] = "cpu  1 2 3\n";
  disk.files["/proc/pressure/cpu"] = "full avg10=1.00\n";
  const TimingFacts facts = timing_facts(disk, 0);
  EXPECT_EQ(facts.boost, true);  // where the first file says nothing, the second counts
  EXPECT_FALSE(facts.smt || facts.huge_pages || facts.load || facts.steal_percent ||
               facts.pressure_percent || facts.is_virtual);
}

std::string found(const std::vector<TimingAdvice>& all, const std::string& what) {
  auto advice = std::ranges::find(all, what, &TimingAdvice::what);
  return advice == all.end() ? "none" : (advice->is_fine ? "fine: " : "not: ") + advice->found;
}

TEST(TimingAdvice, NamesWhatDisturbsAndNeverGuesses) {
  const auto advice = timing_advice(timing_facts(sysfs("workstation"), 7));
  EXPECT_TRUE(found(advice, "governor").starts_with("not: powersave"));
  EXPECT_TRUE(found(advice, "boost").starts_with("not: on"));
  EXPECT_TRUE(found(advice, "throttling").starts_with("not: slowed down for heat 42 times"));
  EXPECT_TRUE(found(advice, "SMT").starts_with("not: core 7 shares its units with core 3"));
  EXPECT_EQ(found(advice, "own core"), "fine: core 7 is isolated");
  EXPECT_TRUE(found(advice, "load").starts_with("not: 3.20 want to run"));
  EXPECT_TRUE(found(advice, "steal").starts_with("not: 0.40 %"));
  EXPECT_EQ(found(advice, "virtual"), "fine: no");
  EXPECT_TRUE(found(advice, "huge pages").starts_with("not: always"));
  EXPECT_TRUE(found(advice, "clock").starts_with("not: hpet"));
  EXPECT_EQ(found(advice, "real time"), "not: not visible here");
  for (const TimingAdvice& each : timing_advice(TimingFacts{})) {
    EXPECT_EQ(each.found, "not visible here") << each.what;
    EXPECT_FALSE(each.is_fine) << each.what;
  }
}

}  // namespace
}  // namespace assay

#include "target/timing_advice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay {
namespace {

constexpr const char* kHidden = "not visible here";

TimingAdvice hidden(const char* what) { return {what, false, kHidden}; }

TimingAdvice governor(const TimingFacts& facts) {
  if (!facts.governor) return hidden("governor");
  if (*facts.governor == "performance") return {"governor", true, *facts.governor};
  return {"governor", false,
          *facts.governor +
              ": clocks follow the load, and what comes after a pause is slower; both of a pair "
              "alike. To mend it: assay doctor --fix"};
}

TimingAdvice boost(const TimingFacts& facts) {
  if (!facts.boost) return hidden("boost");
  if (!*facts.boost) return {"boost", true, "off"};
  return {"boost", false,
          "on: clocks follow heat and what other cores do; both of a pair alike, launches less "
          "so. To turn it off: assay doctor --fix"};
}

TimingAdvice throttling(const TimingFacts& facts) {
  if (!facts.throttles) return hidden("throttling");
  if (*facts.throttles == 0) return {"throttling", true, "never since the system started"};
  return {"throttling", false,
          fmt::format("slowed down for heat {} times since the system started: launches differ, "
                      "and peaks are not reached",
                      *facts.throttles)};
}

TimingAdvice siblings(const TimingFacts& facts) {
  if (!facts.siblings.empty())
    return {"SMT", false,
            fmt::format("core {} shares its units with core {}: who works there slows a candidate "
                        "down, by up to half, which CPU time does not show",
                        facts.core, fmt::join(facts.siblings, ", "))};
  if (!facts.smt) return hidden("SMT");
  return {"SMT", true, *facts.smt ? "on, and no sibling is in use" : "off"};
}

TimingAdvice isolation(const TimingFacts& facts) {
  if (!facts.is_isolated) return hidden("own core");
  if (*facts.is_isolated) return {"own core", true, fmt::format("core {} is isolated", facts.core)};
  return {"own core", false,
          fmt::format("core {} is everybody's: others interrupt windows there. CPU time leaves "
                      "them out, not what they leave in caches",
                      facts.core)};
}

TimingAdvice load(const TimingFacts& facts) {
  if (!facts.load) return hidden("load");
  const std::string pressure =
      facts.pressure_percent
          ? fmt::format("; somebody waited for a core in {:.0f} % of the last 10 s",
                        *facts.pressure_percent)
          : "";
  const std::string found = fmt::format("{:.2f} want to run{}", *facts.load, pressure);
  // One core is busy then: that of who asks.
  constexpr double kQuietLoad = 0.5, kQuietPercent = 1;
  if (*facts.load < kQuietLoad && facts.pressure_percent.value_or(0) < kQuietPercent)
    return {"load", true, found};
  return {"load", false,
          found + ": others take caches and bandwidth, and with several threads time on the wall"};
}

TimingAdvice steal(const TimingFacts& facts) {
  if (!facts.steal_percent) return hidden("steal");
  const std::string found = fmt::format("{:.2f} % since the system started", *facts.steal_percent);
  constexpr double kLittlePercent = 0.1;
  if (*facts.steal_percent < kLittlePercent) return {"steal", true, found};
  return {"steal", false,
          found +
              ": the host had the cores; CPU time leaves that out, the clock on the wall does "
              "not"};
}

TimingAdvice machine(const TimingFacts& facts) {
  if (!facts.is_virtual) return hidden("virtual");
  if (!*facts.is_virtual) return {"virtual", true, "no"};
  return {"virtual", false,
          "yes: what other guests of its host do to caches, bandwidth and clocks is not visible"};
}

TimingAdvice huge_pages(const TimingFacts& facts) {
  if (!facts.huge_pages) return hidden("huge pages");
  if (*facts.huge_pages == "madvise")
    return {"huge pages", true, "for who asks, as torch's memory does here"};
  if (*facts.huge_pages == "always")
    return {"huge pages", false,
            "always: who gets them is chance, and launches differ by it. To mend it: assay doctor "
            "--fix"};
  return {"huge pages", false,
          *facts.huge_pages +
              ": large tensors lie in small pages, which costs time and scatters over launches. To "
              "mend it: assay doctor --fix"};
}

TimingAdvice clock_source(const TimingFacts& facts) {
  if (!facts.clock_source) return hidden("clock");
  // Those that are read without a system call.
  for (const char* fast : {"tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page"})
    if (*facts.clock_source == fast) return {"clock", true, *facts.clock_source};
  return {"clock", false,
          *facts.clock_source + ": to read it is a system call, which each window pays for twice"};
}

TimingAdvice real_time(const TimingFacts& facts) {
  if (!facts.real_time) return hidden("real time");
  return {"real time", *facts.real_time,
          *facts.real_time ? "allowed; assay does without" : "not allowed; assay does without"};
}

}  // namespace

std::vector<TimingAdvice> timing_advice(const TimingFacts& facts) {
  return {governor(facts),   boost(facts),        throttling(facts), siblings(facts),
          isolation(facts),  load(facts),         steal(facts),      machine(facts),
          huge_pages(facts), clock_source(facts), real_time(facts)};
}

}  // namespace assay

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/words.h"

namespace assay {

// What a window of a measurement is for.
enum class WindowUse {
  null,    // nothing is called: what a window itself costs
  beside,  // so many calls, of nothing: what the judge adds to calls in Python
  empty,  // of a process without the candidate, whose calls do nothing: what the runner itself does
  warm_up,  // the first calls in a process
  solo,     // several of one side in a row, after the pairs
  pair,     // counts
  single,   // one call alone, where those that count have several
  probe,    // other inputs than the problem's own, in between: only its results count
};
inline constexpr Word<WindowUse> kWindowUseWords[] = {
    {WindowUse::null, "null"},       {WindowUse::beside, "beside"}, {WindowUse::empty, "empty"},
    {WindowUse::warm_up, "warm_up"}, {WindowUse::solo, "solo"},     {WindowUse::pair, "pair"},
    {WindowUse::single, "single"},   {WindowUse::probe, "probe"}};

// One window of a measurement, as the judge's clocks have it. Those of one round have the same
// inputs.
struct WindowRecord {
  int launch = 0;  // from 0
  int round = 0;   // within the launch
  int place = 0;   // within the round: who was first
  int side = 0;    // 0: the candidate; then the baselines, as they were asked for
  WindowUse use = WindowUse::pair;
  int calls = 1;
  int64_t wall_ns = 0;  // of all calls, until all was frozen
  int64_t cpu_ns = 0;   // of all processes of this side
  std::string draw{};   // the name of the first call's inputs, which the seed makes again
  // By the processes' own clocks: cpu_ns again. Nothing where there is only one clock.
  std::optional<int64_t> process_cpu_ns{};
  int64_t waited_ns = 0;  // of its threads together: they could have run, and others had their core
  // CPU time in windows around this one that count for nothing, in which its runner prepares calls
  // and tells of their results.
  int64_t around_cpu_ns = 0;

  bool operator==(const WindowRecord&) const = default;
};

}  // namespace assay

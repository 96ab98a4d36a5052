// How well windows of several kinds tell kernels apart: the same kernel in three processes, and one
// that does 5 % more.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "experiments.h"
#include "judge.h"

namespace assay::gpu {
namespace {

enum class Clock { wall, card, gated, own_events };
constexpr std::array<const char*, 4> kClockNames = {"window_wall", "window_card", "gated_card",
                                                    "own_events_mean_of_100"};

double value_of(Judge& judge, Side& side, Clock clock, uint64_t& wrong) {
  if (clock == Clock::own_events) {
    side.thaw();
    side.call(Act::events);
    double own = static_cast<double>(side.page().said[0]);
    side.freeze();
    return own;
  }
  WindowPlan plan;
  plan.start = Start::at_write_end;
  Window window = clock == Clock::gated ? judge.gated_window(side) : judge.window(side, plan);
  wrong += window.wrong + window.wrong_sample;
  return static_cast<double>(clock == Clock::wall ? window.wall_ns : window.card_ns);
}

}  // namespace

void resolution() {
  struct Size {
    double call_us;
    uint32_t elements;
    uint32_t slots;
  };
  constexpr int kLaunches = 5, kPairs = 12;
  // Slots beyond twice the L2 in any case; a window of about 5 ms.
  for (const Size& size :
       {Size{10, 1U << 18, 400}, Size{100, 1U << 20, 50}, Size{1000, 1U << 22, 5}}) {
    Judge judge(size.elements, size.slots);
    judge.warm_up();
    uint32_t rounds = judge.rounds_for(size.call_us);
    double alone_us = judge.microseconds_of(rounds);
    auto more = static_cast<uint32_t>(std::lround(rounds * 1.05));
    for (int i = 0; i < 4; ++i) {
      double ratio = judge.microseconds_of(more, 15, 8) / judge.microseconds_of(rounds, 15, 8);
      more = rounds + static_cast<uint32_t>(std::lround((more - rounds) * 0.05 / (ratio - 1)));
      if (std::abs(ratio - 1.05) < 0.001) break;
    }
    double truth = judge.microseconds_of(more, 25, 8) / judge.microseconds_of(rounds, 25, 8);
    Row("sizes")
        .number("call_us", size.call_us)
        .whole("elements", size.elements)
        .whole("slots", size.slots)
        .whole("rounds", rounds)
        .whole("rounds_of_more", more)
        .number("alone_us", alone_us)
        .number("true_ratio", truth)
        .number("sm_mhz", judge.sm_mhz())
        .print();
    for (int launch = 0; launch < kLaunches; ++launch) {
      // One at a time is thawed. The second is the same as the first, the third does more.
      std::array<std::unique_ptr<Side>, 3> sides;
      for (size_t i = 0; i < sides.size(); ++i) {
        sides[i] = judge.start_honest_side();
        sides[i]->page().rounds = i == 2 ? more : rounds;
        sides[i]->freeze();
      }
      for (size_t clock = 0; clock < kClockNames.size(); ++clock) {
        uint64_t wrong = 0;
        std::vector<double> same, other, values;
        CardReading before = read_card();
        for (int pair = -2; pair < kPairs; ++pair) {
          std::array<double, 3> taken{};
          // In turn, in an order that turns.
          for (size_t i = 0; i < 3; ++i) {
            size_t which = (i + static_cast<size_t>(pair + 2)) % 3;
            taken[which] = value_of(judge, *sides[which], static_cast<Clock>(clock), wrong);
          }
          if (pair < 0) continue;
          same.push_back(taken[1] / taken[0]);
          other.push_back(taken[2] / taken[0]);
          values.push_back(taken[0] / 1e3);
        }
        CardReading after = read_card();
        Row("launch")
            .number("call_us", size.call_us)
            .whole("launch", launch)
            .text("clock", kClockNames[clock])
            .whole("pairs", kPairs)
            .whole("wrong", static_cast<int64_t>(wrong))
            .raw("same_ratio", std::to_string(quantile(same, 0.5)))
            .raw("more_ratio", std::to_string(quantile(other, 0.5)))
            .raw("same_ratio_p10", std::to_string(quantile(same, 0.1)))
            .raw("same_ratio_p90", std::to_string(quantile(same, 0.9)))
            .number("value_us", quantile(values, 0.5))
            .whole("sm_mhz_before", before.sm_mhz)
            .whole("sm_mhz_after", after.sm_mhz)
            .whole("throttle_reasons", after.throttle_reasons)
            .number("sm_mhz_by_cycles", judge.sm_mhz())
            .print();
      }
    }
  }
}

}  // namespace assay::gpu

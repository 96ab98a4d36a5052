// How well windows of several kinds tell kernels apart: the same kernel in two processes, and one
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

enum class Kind { window, gated, own_events };
constexpr std::array<const char*, 3> kKindNames = {"window, engine end", "gated, engine end",
                                                   "own events, mean of 100"};

struct Taken {
  double wall_ns = 0;
  double card_ns = 0;  // from before the writes
  uint64_t wrong = 0;
};

Taken take(Judge& judge, Side& side, Kind kind, Act act) {
  if (kind == Kind::own_events) {
    side.thaw();
    side.call(Act::events);
    auto own_ns = static_cast<double>(side.page().said[0]);
    side.freeze();
    return {own_ns, own_ns, 0};
  }
  Window window;
  if (kind == Kind::gated) {
    window = judge.gated_window(side, End::engine);
  } else {
    WindowPlan plan;
    plan.act = act;
    plan.end = End::engine;
    plan.freeze_late = true;
    window = judge.window(side, plan);
  }
  return {static_cast<double>(window.wall_ns), static_cast<double>(window.all_card_ns),
          window.wrong + window.wrong_sample};
}

struct Ratios {
  std::vector<double> same, more;

  void add(double first, double second, double third, double less) {
    same.push_back((second - less) / (first - less));
    more.push_back((third - less) / (first - less));
  }
  void print_to(Row& row, const std::string& name) const {
    auto text = [](double value) { return std::to_string(value); };
    row.raw("same_" + name, text(quantile(same, 0.5)))
        .raw("more_" + name, text(quantile(more, 0.5)))
        .raw("same_" + name + "_p10", text(quantile(same, 0.1)))
        .raw("same_" + name + "_p90", text(quantile(same, 0.9)));
  }
};

}  // namespace

void resolution() {
  struct Size {
    double call_us;
    uint32_t elements;
    uint32_t slots;
  };
  constexpr int kLaunches = 8, kPairs = 12;
  // Slots beyond twice the L2 in any case; windows of about 5 ms.
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
      for (size_t kind = 0; kind < kKindNames.size(); ++kind) {
        bool is_own = static_cast<Kind>(kind) == Kind::own_events;
        // What a window takes that holds one empty kernel.
        std::vector<double> null_wall_ns, null_card_ns;
        for (int i = 0; i < 10 && !is_own; ++i) {
          sides[0]->page().slots = 0;
          Taken nothing = take(judge, *sides[0], static_cast<Kind>(kind), Act::null_kernel);
          sides[0]->page().slots = size.slots;
          if (i < 2) continue;
          null_wall_ns.push_back(nothing.wall_ns);
          null_card_ns.push_back(nothing.card_ns);
        }
        double null_wall = quantile(null_wall_ns, 0.5), null_card = quantile(null_card_ns, 0.5);
        uint64_t wrong = 0;
        Ratios by_wall, by_card, by_wall_less, by_card_less;
        std::vector<double> wall_us;
        CardReading before = read_card();
        for (int pair = -2; pair < kPairs; ++pair) {
          std::array<Taken, 3> taken{};
          // In turn, in an order that turns.
          for (size_t i = 0; i < 3; ++i) {
            size_t which = (i + static_cast<size_t>(pair + 2)) % 3;
            taken[which] = take(judge, *sides[which], static_cast<Kind>(kind), Act::honest);
            wrong += taken[which].wrong;
          }
          if (pair < 0) continue;
          by_wall.add(taken[0].wall_ns, taken[1].wall_ns, taken[2].wall_ns, 0);
          by_card.add(taken[0].card_ns, taken[1].card_ns, taken[2].card_ns, 0);
          by_wall_less.add(taken[0].wall_ns, taken[1].wall_ns, taken[2].wall_ns, null_wall);
          by_card_less.add(taken[0].card_ns, taken[1].card_ns, taken[2].card_ns, null_card);
          wall_us.push_back(taken[0].wall_ns / 1e3);
        }
        CardReading after = read_card();
        Row row("launch");
        row.number("call_us", size.call_us)
            .whole("launch", launch)
            .text("kind", kKindNames[kind])
            .whole("pairs", kPairs)
            .whole("wrong", static_cast<int64_t>(wrong))
            .number("wall_us", quantile(wall_us, 0.5))
            .number("null_wall_us", null_wall / 1e3)
            .number("null_card_us", null_card / 1e3);
        by_wall.print_to(row, "by_wall");
        by_card.print_to(row, "by_all_card");
        by_wall_less.print_to(row, "by_wall_less_null");
        by_card_less.print_to(row, "by_all_card_less_null");
        row.whole("sm_mhz_before", before.sm_mhz)
            .whole("sm_mhz_after", after.sm_mhz)
            .whole("throttle_reasons", after.throttle_reasons)
            .number("sm_mhz_by_cycles", judge.sm_mhz())
            .print();
      }
    }
  }
}

}  // namespace assay::gpu

// Raw times of gated windows and of clocks that are in use, for statistics to be tried on: short
// kernels, and the same kernel twice in many launches beside such that do 2 and 5 % more.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "experiments.h"
#include "judge.h"

namespace assay::gpu {
namespace {

// The first two are the same. One that does so much more comes behind them.
struct Task {
  double call_us;
  std::vector<uint32_t> rounds;
};
constexpr std::array<const char*, 4> kSides = {"a", "a2", "b2", "b5"};

// Rounds with which a call takes so much longer.
uint32_t rounds_with(Judge& judge, uint32_t rounds, double part, int calls, double& truth) {
  auto asked = static_cast<uint32_t>(std::lround(rounds * (1 + part)));
  uint32_t best = std::max(asked, rounds + 1);
  truth = 0;
  double least = 1;
  for (int i = 0; i < 5; ++i) {
    asked = std::max(asked, rounds + 1);
    double ratio =
        judge.microseconds_of(asked, 15, calls) / judge.microseconds_of(rounds, 15, calls);
    if (std::abs(ratio - 1 - part) < least) {
      least = std::abs(ratio - 1 - part);
      best = asked;
    }
    double by = std::clamp(part / std::max(ratio - 1, part / 4), 0.3, 3.0);
    auto next = rounds + static_cast<uint32_t>(std::lround((asked - rounds) * by));
    if (next == asked) break;
    asked = next;
  }
  truth = judge.microseconds_of(best, 31, calls) / judge.microseconds_of(rounds, 31, calls);
  return best;
}

Task task_of(Judge& judge, double call_us, const std::vector<double>& more, int calls) {
  Task task{call_us, {}};
  uint32_t rounds = judge.rounds_for(call_us);
  task.rounds = {rounds, rounds};
  Row row("task");
  row.number("call_us", call_us)
      .whole("elements", judge.layout().elements)
      .whole("slots", judge.layout().slots)
      .whole("rounds", rounds)
      .number("alone_us", judge.microseconds_of(rounds, 15, calls));
  for (double part : more) {
    double truth = 0;
    task.rounds.push_back(rounds_with(judge, rounds, part, calls, truth));
    row.raw("true_ratio_" + std::to_string(std::lround(part * 100)), std::to_string(truth));
  }
  row.number("sm_mhz", judge.sm_mhz()).print();
  return task;
}

std::vector<std::unique_ptr<Side>> sides_of(Judge& judge, const Task& task) {
  auto sides = judge.start_honest_sides(task.rounds.size());
  for (size_t i = 0; i < sides.size(); ++i) {
    sides[i]->page().rounds = task.rounds[i];
    sides[i]->freeze();
  }
  return sides;
}

double null_us(Judge& judge, Side& side) {
  uint32_t slots = side.page().slots;
  side.page().slots = 0;
  std::vector<int64_t> times_ns;
  judge.set_verifies(false);
  for (int i = 0; i < 6; ++i) times_ns.push_back(judge.gated_window(side, End::engine).all_card_ns);
  judge.set_verifies(true);
  side.page().slots = slots;
  return static_cast<double>(quantile(times_ns, 0.5)) / 1e3;
}

// Windows in turn, in an order that turns; what is no pair yet comes first and is verified.
struct Pairs {
  std::vector<std::vector<double>> card_us, wall_us;
  uint64_t wrong = 0;
  double probe_us_most = 0;

  void take(Judge& judge, std::vector<std::unique_ptr<Side>>& sides, int count, bool verifies) {
    card_us.resize(sides.size());
    wall_us.resize(sides.size());
    constexpr int kBefore = 2;
    for (int pair = -kBefore; pair < count; ++pair) {
      judge.set_verifies(verifies && (pair == -1 || pair == count - 1));
      for (size_t i = 0; i < sides.size(); ++i) {
        size_t which = (i + static_cast<size_t>(pair + kBefore)) % sides.size();
        Window window = judge.gated_window(*sides[which], End::engine);
        wrong += window.wrong + window.wrong_sample;
        if (pair < 0) continue;
        card_us[which].push_back(static_cast<double>(window.all_card_ns) / 1e3);
        wall_us[which].push_back(static_cast<double>(window.wall_ns) / 1e3);
        probe_us_most = std::max(probe_us_most, static_cast<double>(window.probe_ns) / 1e3);
      }
    }
    judge.set_verifies(true);
  }
  void print_to(Row& row) const {
    for (size_t i = 0; i < card_us.size(); ++i) {
      row.numbers(std::string("card_us_") + kSides[i], card_us[i]);
      row.numbers(std::string("wall_us_") + kSides[i], wall_us[i]);
    }
    row.whole("wrong", static_cast<int64_t>(wrong)).number("probe_us_most", probe_us_most);
  }
};

// Means of so many calls by the side's own events, in turn.
void add_events(Row& row, std::vector<std::unique_ptr<Side>>& sides, int trials, int calls) {
  std::vector<std::vector<double>> times_us(sides.size());
  for (int trial = 0; trial < trials; ++trial) {
    for (size_t i = 0; i < sides.size(); ++i) {
      size_t which = (i + static_cast<size_t>(trial)) % sides.size();
      Side& side = *sides[which];
      side.thaw();
      side.page().parameter[2] = calls;
      side.call(Act::events);
      times_us[which].push_back(static_cast<double>(side.page().said[0]) / 1e3);
      side.freeze();
    }
  }
  for (size_t i = 0; i < sides.size(); ++i)
    row.numbers(std::string("events_us_") + kSides[i], times_us[i]);
}

void add_do_bench(Row& row, std::vector<std::unique_ptr<Side>>& sides, int calls) {
  std::vector<double> means_us, medians_us;
  for (auto& side : sides) {
    side->thaw();
    side->page().parameter[2] = calls;
    side->call(Act::do_bench);
    means_us.push_back(static_cast<double>(side->page().said[0]) / 1e3);
    medians_us.push_back(static_cast<double>(side->page().said[1]) / 1e3);
    side->freeze();
  }
  row.numbers("do_bench_mean_us", means_us).numbers("do_bench_median_us", medians_us);
}

void add_readings(Row& row, const CardReading& before, const CardReading& after) {
  row.whole("sm_mhz_before", before.sm_mhz)
      .whole("sm_mhz_after", after.sm_mhz)
      .whole("throttle_reasons", before.throttle_reasons | after.throttle_reasons)
      .whole("temperature_c", after.temperature_c);
}

int64_t until_ns_of(int64_t usual_seconds) {
  const char* given = ::getenv("GPU_PROBE_STUDY_SECONDS");
  return now_ns() + (given ? std::atoll(given) : usual_seconds) * 1'000'000'000;
}

}  // namespace

// Many calls in a gated window, over as many copies of the inputs.
void short_kernels() {
  constexpr int kLaunches = 5;
  struct Size {
    double call_us;
    uint32_t elements;
    uint32_t slots;
  };
  for (const Size& size : {Size{5, 1U << 16, 400}, Size{10, 1U << 17, 400}}) {
    Judge judge(size.elements, size.slots);
    judge.warm_up();
    Task task = task_of(judge, size.call_us, {0.02}, 400);
    for (int launch = 0; launch < kLaunches; ++launch) {
      auto sides = sides_of(judge, task);
      double nothing_us = null_us(judge, *sides[0]);
      for (uint32_t calls : {1U, 4U, 16U, 64U, 256U, 400U}) {
        for (auto& side : sides) side->page().slots = calls;
        CardReading before = read_card();
        Pairs pairs;
        pairs.take(judge, sides, calls <= 16 ? 24 : 12, calls == size.slots);
        Row row("short");
        row.number("call_us", size.call_us).whole("launch", launch).whole("calls", calls);
        row.number("null_us", nothing_us);
        pairs.print_to(row);
        add_readings(row, before, read_card());
        row.print();
      }
      for (auto& side : sides) side->page().slots = size.slots;
      Row row("short_events");
      row.number("call_us", size.call_us).whole("launch", launch);
      add_events(row, sides, 12, 100);
      add_do_bench(row, sides, 100);
      row.print();
    }
  }
}

// As many launches of each size as there is time for.
void study() {
  int64_t until_ns = until_ns_of(145);
  constexpr int kPairs = 12, kMost = 60;
  struct Size {
    double call_us;
    uint32_t elements;
    uint32_t slots;
    int trials;  // of the mean of 100
  };
  // Slots beyond twice the L2 in any case.
  const std::array sizes = {Size{10, 1U << 18, 200, 4}, Size{100, 1U << 20, 25, 2},
                            Size{1000, 1U << 22, 4, 1}};
  std::array<std::unique_ptr<Judge>, sizes.size()> judges;
  std::vector<Task> tasks;
  for (size_t i = 0; i < sizes.size(); ++i) {
    judges[i] = std::make_unique<Judge>(sizes[i].elements, sizes[i].slots);
    if (i == 0) judges[i]->warm_up();
    tasks.push_back(task_of(*judges[i], sizes[i].call_us, {0.02, 0.05}, i == 0 ? 200 : 8));
  }
  for (int launch = 0; launch < kMost; ++launch) {
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (now_ns() > until_ns) return;
      Judge& judge = *judges[i];
      auto sides = sides_of(judge, tasks[i]);
      CardReading before = read_card();
      Row row("study");
      row.number("call_us", sizes[i].call_us)
          .whole("launch", launch)
          .whole("calls", sizes[i].slots)
          .number("null_us", null_us(judge, *sides[0]));
      Pairs pairs;
      pairs.take(judge, sides, kPairs, launch % 8 == 0);
      pairs.print_to(row);
      add_events(row, sides, sizes[i].trials, 100);
      add_do_bench(row, sides, 40);
      add_readings(row, before, read_card());
      row.print();
    }
  }
}

// The same short kernel in two processes, in as many launches as there is time for.
void twice() {
  int64_t until_ns = until_ns_of(40);
  constexpr int kPairs = 12, kMost = 200;
  constexpr uint32_t kCalls = 400;
  struct Size {
    double call_us;
    uint32_t elements;
  };
  constexpr std::array sizes = {Size{5, 1U << 16}, Size{10, 1U << 17}};
  std::array<std::unique_ptr<Judge>, sizes.size()> judges;
  std::vector<Task> tasks;
  for (size_t i = 0; i < sizes.size(); ++i) {
    judges[i] = std::make_unique<Judge>(sizes[i].elements, kCalls);
    if (i == 0) judges[i]->warm_up();
    tasks.push_back(task_of(*judges[i], sizes[i].call_us, {}, kCalls));
  }
  for (int launch = 0; launch < kMost; ++launch) {
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (now_ns() > until_ns) return;
      auto sides = sides_of(*judges[i], tasks[i]);
      CardReading before = read_card();
      Row row("twice");
      row.number("call_us", sizes[i].call_us)
          .whole("launch", launch)
          .whole("calls", kCalls)
          .number("null_us", null_us(*judges[i], *sides[0]));
      Pairs pairs;
      pairs.take(*judges[i], sides, kPairs, launch % 8 == 0);
      pairs.print_to(row);
      add_events(row, sides, 4, 100);
      add_readings(row, before, read_card());
      row.print();
    }
  }
}

}  // namespace assay::gpu

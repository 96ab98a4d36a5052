// Attacks on a window's end, its start, its data and its neighbours, each against a naive clock and
// against the judge's.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "experiments.h"
#include "judge.h"

namespace assay::gpu {
namespace {

constexpr uint32_t kElements = 1U << 22;

double us(int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e3; }

// So many windows, behind two that do not count.
Tally windows(Judge& judge, Side& side, const WindowPlan& plan, int count) {
  Tally tally;
  for (int i = 0; i < count + 2; ++i) {
    Window window = judge.window(side, plan);
    if (i >= 2) tally.add(window);
  }
  return tally;
}

double median(const std::vector<int64_t>& values) {
  return static_cast<double>(quantile(values, 0.5));
}

// What an attack gains over honest work: by the naive clock where its outputs were right at last,
// by the judge's in windows whose outputs were right.
void add_gains(Row& row, const Tally& honest, const Tally& attack, bool naive, bool late) {
  int accepted = naive ? attack.windows - (late ? attack.wrong_late : attack.wrong)
                       : static_cast<int>(attack.right_wall_ns.size());
  row.whole("accepted", accepted);
  if (accepted == 0) {
    row.raw("gain", "null");
  } else if (naive) {
    row.number("gain", median(honest.done_ns) / median(attack.done_ns));
  } else {
    auto best = [](const std::vector<int64_t>& values) {
      return static_cast<double>(quantile(values, 0.0));
    };
    row.number("gain", median(honest.wall_ns) / median(attack.right_wall_ns))
        .number("gain_by_card", median(honest.card_ns) / median(attack.right_card_ns))
        .number("gain_by_all_card", median(honest.all_card_ns) / median(attack.right_all_card_ns))
        .number("gain_best", median(honest.wall_ns) / best(attack.right_wall_ns))
        .number("gain_best_by_card", median(honest.card_ns) / best(attack.right_card_ns))
        .number("gain_best_by_all_card",
                median(honest.all_card_ns) / best(attack.right_all_card_ns))
        .number("gained_us", (median(honest.wall_ns) - median(attack.right_wall_ns)) / 1e3)
        .number("gained_us_most", (median(honest.wall_ns) - best(attack.right_wall_ns)) / 1e3);
  }
}

void print_tally(const char* name, Act act, double work_us, const char* clock,
                 const WindowPlan& plan, const Tally& honest, const Tally& attack,
                 int64_t early = 0) {
  Row row(name);
  row.text("act", name_of(act))
      .number("work_us", work_us)
      .text("clock", clock)
      .text("start", kStartNames[static_cast<size_t>(plan.start)])
      .text("end", plan.end == End::engine ? "engine" : "kernel")
      .text("frozen", !plan.freeze       ? "never"
                      : plan.freeze_late ? "behind the sample"
                                         : "before");
  bool naive = std::string_view(clock) == "naive";
  // Calls of a gated window; else microseconds.
  if (early != 0) row.whole(plan.act == Act::arm_nearly ? "calls_behind" : "early_us", early);
  add_gains(row, honest, attack, naive, plan.late);
  attack.print_to(row);
  row.print();
}

// Where the words that a candidate has written end.
int64_t progress_in(const std::vector<uint32_t>& words) {
  return std::ranges::find(words, 0U) - words.begin();
}

void gap_rows(Judge& judge, Side& side) {
  constexpr int64_t kFor_ns = 80'000'000;
  constexpr uint32_t kMost = 4096;
  CUdeviceptr mine = allocate(kMost * 16), count = allocate(8);
  check(driver().cuMemsetD32(mine, 0, kMost * 4), "clear");
  check(driver().cuMemsetD32(judge.outputs(), 0, kMost * 4), "clear");
  side.page().parameter[0] = kFor_ns;
  side.call(Act::watch_gaps);
  check(launch(judge.kernel("watch_gaps"), {1, 1}, judge.stream(), mine, kMost, uint64_t{5000},
               static_cast<uint64_t>(kFor_ns), count),
        "watch for gaps");
  judge.synchronize();
  side.call(Act::drain);
  for (bool of_judge : {true, false}) {
    std::vector<uint32_t> words = judge.read(of_judge ? mine : judge.outputs(), kMost * 4);
    std::vector<double> gaps_us;
    for (size_t i = 0; i + 3 < words.size(); i += 4) {
      uint64_t gap = words[i + 2] | uint64_t{words[i + 3]} << 32;
      if (gap != 0) gaps_us.push_back(static_cast<double>(gap) / 1e3);
    }
    Row row("gaps");
    row.text("of", of_judge ? "judge" : "candidate")
        .whole("count", static_cast<int64_t>(gaps_us.size()))
        .number("watched_us", us(kFor_ns))
        .number("median_us", quantile(gaps_us, 0.5))
        .number("least_us", quantile(gaps_us, 0.0))
        .number("most_us", quantile(gaps_us, 1.0));
    gaps_us.resize(std::min<size_t>(gaps_us.size(), 40));
    row.numbers("first_us", gaps_us).print();
  }
}

void latency_rows(Judge& judge, Side& side) {
  struct Operation {
    const char* name;
    int64_t (Judge::*run)();
  };
  constexpr std::array kOperations = {Operation{"null_kernel", &Judge::null_ns},
                                      Operation{"sample_kernel", &Judge::sample_ns},
                                      Operation{"read_4k_to_host", &Judge::read_back_ns},
                                      Operation{"write_4k_from_host", &Judge::write_4k_ns},
                                      Operation{"engine_sample", &Judge::engine_sample_ns},
                                      Operation{"copy_16m_on_card", &Judge::copy_ns}};
  for (int64_t left_us : {0, 50, 500, 2000, 20'000, 200'000}) {
    for (const Operation& operation : kOperations) {
      std::vector<int64_t> times, drained;
      int trials = left_us >= 200'000 ? 4 : left_us >= 20'000 ? 10 : 30;
      for (int i = 0; i < trials; ++i) {
        side.page().parameter[0] = left_us * 1000;
        int64_t begin_ns = now_ns();
        if (left_us > 0) side.call(Act::spin);
        int64_t until_ns = now_ns() + 30'000;  // so that it has begun
        while (now_ns() < until_ns) {
        }
        times.push_back((judge.*operation.run)());
        side.call(Act::drain);
        drained.push_back(now_ns() - begin_ns);
      }
      Row row("latency");
      row.text("of", operation.name)
          .whole("left_us", left_us)
          .whole("trials", trials)
          .spread_us("us", times)
          .spread_us("until_drained_us", drained)
          .print();
    }
  }
}

void engine_rows(Judge& judge, Side& side) {
  for (uint32_t rows : {16U, 64U, 128U, 512U}) {
    judge.set_engine_rows(rows);
    for (int64_t left_us : {0, 5000}) {
      std::vector<int64_t> times;
      for (int i = 0; i < 20; ++i) {
        side.page().parameter[0] = left_us * 1000;
        if (left_us > 0) side.call(Act::spin);
        sleep_us(100);
        times.push_back(judge.engine_sample_ns());
        side.call(Act::drain);
      }
      Row("engine_sample")
          .whole("pieces", 8 * rows)
          .whole("left_us", left_us)
          .spread_us("us", times)
          .print();
    }
  }
  judge.set_engine_rows(128);
}

// How far a candidate's kernel comes between the judge's sample and its copy.
void progress_rows(Judge& judge, Side& side) {
  constexpr uint32_t kWords = 1U << 16;
  CUdeviceptr seen = allocate(uint64_t{kWords} * 4 * 3);
  auto place = [&](uint32_t which) { return seen + uint64_t{which} * kWords * 4; };
  auto kernel_copy = [&](uint32_t which) {
    check(launch(judge.kernel("copy"), {64}, judge.stream(), place(which), judge.outputs(), kWords),
          "copy");
  };
  auto engine_copy = [&](uint32_t which) {
    check(driver().cuMemcpyDtoDAsync(place(which), judge.outputs(), uint64_t{kWords} * 4,
                                     judge.stream()),
          "copy");
  };
  auto read = [&](uint32_t which) { return progress_in(judge.read(place(which), kWords)); };
  side.page().parameter[0] = kWords;
  side.page().parameter[1] = 40;
  // How fast it goes alone.
  check(driver().cuMemsetD32(judge.outputs(), 0, kWords), "clear");
  int64_t begin_ns = now_ns();
  side.call(Act::progress);
  side.call(Act::drain);
  double word_us = us(now_ns() - begin_ns) / kWords;
  Row("progress_alone").number("word_us", word_us).number("all_us", word_us * kWords).print();
  for (const char* kind : {"two_kernels", "kernel_then_host_then_kernel", "two_copies_on_card",
                           "kernel_then_4_ms_then_kernel"}) {
    std::vector<double> between_us, first_us, latency_us;
    std::string_view name = kind;
    for (int i = 0; i < 12; ++i) {
      check(driver().cuMemsetD32(judge.outputs(), 0, kWords), "clear");
      check(driver().cuCtxSynchronize(), "synchronize");
      side.call(Act::progress);
      sleep_us(3000 + 100 * i);
      int64_t from_ns = now_ns();
      name == "two_copies_on_card" ? engine_copy(0) : kernel_copy(0);
      if (name == "kernel_then_host_then_kernel") judge.synchronize();
      if (name == "kernel_then_4_ms_then_kernel")
        check(launch(judge.kernel("spin"), {132, 32}, judge.stream(), uint64_t{4'000'000}), "spin");
      name == "two_copies_on_card" ? engine_copy(1) : kernel_copy(1);
      judge.synchronize();
      latency_us.push_back(us(now_ns() - from_ns));
      side.call(Act::drain);
      auto first = static_cast<double>(read(0)), second = static_cast<double>(read(1));
      first_us.push_back(first * word_us);
      between_us.push_back((second - first) * word_us);
    }
    Row("progress_between")
        .text("kind", kind)
        .number("first_at_us_median", quantile(first_us, 0.5))
        .number("between_us_median", quantile(between_us, 0.5))
        .number("between_us_max", quantile(between_us, 1.0))
        .number("latency_us_median", quantile(latency_us, 0.5))
        .numbers("between_us", between_us)
        .print();
  }
}

void context_rows(Judge& judge, Side& side) {
  for (int64_t left_us : {2000, 20'000}) {
    side.page().parameter[0] = left_us * 1000;
    side.page().rounds = 1;
    side.call(Act::contexts);
    side.call(Act::drain);
    std::vector<int64_t> times;
    for (int i = 0; i < 10; ++i) {
      sleep_us(4 * left_us);
      side.call(Act::contexts);
      sleep_us(50);
      times.push_back(judge.null_ns());
    }
    Row("latency_with_contexts")
        .whole("contexts", 4)
        .whole("left_us", left_us)
        .spread_us("us", times)
        .print();
    sleep_us(4 * left_us);
  }
}

// Windows whose last `behind` calls come behind the word that says that they are done.
void gated_rows(Judge& judge, Side& side, double work_us, End end,
                std::initializer_list<int64_t> behinds) {
  Tally honest;
  for (int64_t behind : behinds) {
    side.page().parameter[1] = behind;
    Tally tally;
    for (int i = 0; i < 32; ++i) {
      Window window = judge.gated_window(side, end, behind == 0 ? Act::arm : Act::arm_nearly);
      side.thaw();
      side.call(Act::drain);
      if (i >= 2) tally.add(window);
    }
    if (behind == 0) honest = tally;
    WindowPlan plan;
    plan.act = behind == 0 ? Act::arm : Act::arm_nearly;
    plan.end = end;
    print_tally("gated", plan.act, work_us, "judge", plan, honest, tally, behind);
  }
}

}  // namespace

void slices() {
  Judge judge(kElements, 1);
  auto side = judge.start_honest_side();
  judge.warm_up();
  engine_rows(judge, *side);
  latency_rows(judge, *side);
  gap_rows(judge, *side);
  progress_rows(judge, *side);
  context_rows(judge, *side);
}

void ends() {
  Judge judge(kElements, 1);
  auto side = judge.start_honest_side();
  judge.warm_up();
  WindowPlan naive, by_kernel;
  naive.start = Start::gap;
  naive.gap_us = 0;
  naive.freeze = naive.probe = false;
  naive.late = by_kernel.late = true;
  WindowPlan by_engine = by_kernel;
  by_engine.end = End::engine;
  by_engine.freeze_late = true;
  const std::array plans = {std::pair{"naive", naive}, std::pair{"judge", by_kernel},
                            std::pair{"judge", by_engine}};
  for (int64_t work_us : {2000, 50, 500, 20'000, 200'000}) {
    side->page().rounds = judge.rounds_for(static_cast<double>(work_us));
    auto work = static_cast<double>(work_us);
    int count = work_us >= 200'000 ? 4 : work_us >= 20'000 ? 10 : 20;
    std::vector<Act> acts = {Act::honest, Act::early_done};
    if (work_us == 2000)
      acts = {Act::honest,      Act::early_done,    Act::side_stream,
              Act::host_thread, Act::host_callback, Act::copy_delay,
              Act::copy_tail,   Act::priority,      Act::contexts};
    std::array<Tally, plans.size()> honest;
    for (Act act : acts) {
      side->page().parameter[0] = act == Act::copy_delay ? 5'000'000 : 2'000'000;
      for (size_t i = 0; i < plans.size(); ++i) {
        auto [clock, plan] = plans[i];
        plan.act = act;
        Tally tally = windows(judge, *side, plan, count);
        if (act == Act::honest) honest[i] = tally;
        print_tally("end", act, work, clock, plan, honest[i], tally);
        if (act == Act::side_stream && i == 0)
          Row("own_events")
              .number("claimed_us", us(side->page().said[0]))
              .number("work_us", work)
              .print();
      }
    }
    if (work_us != 2000) continue;
    side = judge.start_honest_side();  // without the contexts
    side->page().rounds = judge.rounds_for(work);
    for (int64_t early_us : {10, 50, 200}) {
      for (size_t i = 1; i < plans.size(); ++i) {
        auto [clock, plan] = plans[i];
        plan.act = Act::nearly_done;
        // What an honest call takes from its launch on: without the writes and the thaw.
        int64_t call_ns = quantile(honest[i].done_ns, 0.5) - quantile(honest[i].write_ns, 0.5);
        side->page().parameter[1] = call_ns - 20'000 - early_us * 1000;
        Tally tally = windows(judge, *side, plan, 30);
        print_tally("end", plan.act, work, clock, plan, honest[i], tally, early_us);
      }
    }
  }
}

void starts() {
  Judge judge(kElements, 1);
  judge.warm_up();
  constexpr std::array kWork_us = {500, 5000, 20'000};
  std::vector<WindowPlan> plans;
  for (Start start :
       {Start::gap, Start::at_write_end, Start::scatter_inside, Start::whole_inside}) {
    for (End end : {End::kernel, End::engine}) {
      WindowPlan plan;
      plan.start = start;
      plan.end = end;
      plan.freeze_late = end == End::engine;
      bool naive = start == Start::gap;
      if (naive) plan.freeze = plan.probe = false;
      bool is_asked = start == Start::whole_inside || start == Start::at_write_end;
      if (end == End::kernel || is_asked) plans.push_back(plan);
    }
  }
  std::vector<Tally> honest(kWork_us.size() * plans.size());
  // While no poller is there, who would lengthen what is measured.
  std::array<uint32_t, kWork_us.size()> rounds{};
  for (size_t work = 0; work < kWork_us.size(); ++work)
    rounds[work] = judge.rounds_for(kWork_us[work]);
  for (Act act : {Act::honest, Act::wait_value, Act::patch, Act::poller}) {
    auto side = judge.start_honest_side();
    for (size_t work = 0; work < kWork_us.size(); ++work) {
      side->page().rounds = rounds[work];
      for (size_t i = 0; i < plans.size(); ++i) {
        WindowPlan plan = plans[i];
        plan.act = act;
        bool naive = plan.start == Start::gap, is_long = kWork_us[work] >= 20'000;
        bool waits = act == Act::honest || act == Act::wait_value;
        if (is_long && (plan.start != Start::whole_inside || !waits)) continue;
        if (naive) plan.gap_us = 2 * kWork_us[work];
        int count = act == Act::poller || is_long ? 10 : naive ? 15 : 40;
        Tally tally = windows(judge, *side, plan, count);
        Tally& of_honest = honest[work * plans.size() + i];
        if (act == Act::honest) of_honest = tally;
        print_tally("start", act, kWork_us[work], naive ? "naive" : "judge", plan, of_honest,
                    tally);
      }
    }
  }
}

// Calls that wait on the card, so that all have what `wait_value` gains.
void gates() {
  {
    Judge judge(kElements, 1);
    judge.warm_up();
    auto side = judge.start_honest_side();
    for (int work_us : {500, 5000, 20'000}) {
      side->page().rounds = judge.rounds_for(work_us);
      for (End end : {End::kernel, End::engine}) gated_rows(judge, *side, work_us, end, {0, 1});
    }
  }
  // Short calls, the last of which may come behind the word.
  Judge judge(1U << 18, 400);
  judge.warm_up();
  auto side = judge.start_honest_side();
  side->page().rounds = judge.rounds_for(10);
  for (End end : {End::kernel, End::engine}) gated_rows(judge, *side, 10, end, {0, 1, 2, 4, 8, 16});
}

// What is left to gain in the window that holds: at its start, at its end.
void residue() {
  Judge judge(kElements, 1);
  judge.warm_up();
  WindowPlan plan;
  plan.end = End::engine;
  plan.freeze_late = true;
  WindowPlan early = plan;
  early.start = Start::at_write_end;
  for (int work_us : {1000, 5000, 20'000}) {
    auto side = judge.start_honest_side();
    side->page().rounds = judge.rounds_for(work_us);
    int count = work_us >= 20'000 ? 15 : 60;
    plan.act = early.act = Act::honest;
    Tally honest = windows(judge, *side, plan, count);
    print_tally("residue", plan.act, work_us, "judge", plan, honest, honest);
    Tally honest_early = windows(judge, *side, early, count);
    print_tally("residue", early.act, work_us, "judge", early, honest_early, honest_early);
    int64_t call_ns = quantile(honest.done_ns, 0.5) - quantile(honest.write_ns, 0.5);
    for (int64_t early_us : {20, 40, 60, 80, 120}) {
      plan.act = Act::nearly_done;
      side->page().parameter[1] = call_ns - 20'000 - early_us * 1000;
      Tally tally = windows(judge, *side, plan, count);
      side->thaw();
      side->call(Act::drain);
      print_tally("residue", plan.act, work_us, "judge", plan, honest, tally, early_us);
    }
    plan.act = Act::honest;
    Tally again = windows(judge, *side, plan, count);
    print_tally("residue", plan.act, work_us, "judge", plan, honest, again);
    plan.act = early.act = Act::wait_value;
    Tally waits = windows(judge, *side, plan, count);
    print_tally("residue", plan.act, work_us, "judge", plan, honest, waits);
    Tally waits_early = windows(judge, *side, early, count);
    print_tally("residue", early.act, work_us, "judge", early, honest_early, waits_early);
  }
}

void stale() {
  Judge judge(kElements, 1);
  judge.warm_up();
  constexpr double kWork_us = 2000;
  uint32_t rounds = judge.rounds_for(kWork_us);
  Tally honest_naive, honest, honest_scatter;
  for (Act act :
       {Act::honest, Act::stale_graph, Act::sampled_cache, Act::module_memory, Act::no_write}) {
    auto side = judge.start_honest_side();
    side->page().rounds = rounds;
    WindowPlan naive, ours, scatter;
    naive.act = ours.act = scatter.act = act;
    naive.start = Start::gap;
    naive.gap_us = 0;
    naive.freeze = naive.probe = false;
    naive.poison = act != Act::no_write;
    naive.seed = scatter.seed = 4711;
    scatter.start = Start::at_write_end;
    scatter.scatter = true;
    Tally control = windows(judge, *side, naive, 20);
    Tally few_changes = windows(judge, *side, scatter, 20);
    Tally attack = windows(judge, *side, ours, 20);
    if (act == Act::honest) {
      honest_naive = control;
      honest_scatter = few_changes;
      honest = attack;
    }
    print_tally("stale", act, kWork_us, "naive", naive, honest_naive, control);
    print_tally("stale_one_in_a_hundred", act, kWork_us, "judge", scatter, honest_scatter,
                few_changes);
    print_tally("stale", act, kWork_us, "judge", ours, honest, attack);
  }
}

// What goes on while the processes of a candidate stand still.
void freezing() {
  Judge judge(kElements, 1);
  judge.warm_up();
  uint32_t rounds = judge.rounds_for(2000);
  std::string why;
  std::string cgroup = make_cgroup("assay-gpu-freeze", why);
  for (Freeze kind : {Freeze::none, Freeze::stop, Freeze::cgroup}) {
    const char* name = kind == Freeze::none ? "none" : kind == Freeze::stop ? "stop" : "cgroup";
    if (kind == Freeze::cgroup && cgroup.empty()) {
      Row("frozen").text("by", name).text("problem", why).print();
      continue;
    }
    JailOptions jail;
    if (kind == Freeze::cgroup) jail.cgroup = cgroup;
    auto side = judge.start_side(jail);
    if (!side->problem().empty()) {
      Row("frozen").text("by", name).text("problem", side->problem()).print();
      continue;
    }
    side->freeze_by(kind, cgroup);
    side->page().rounds = rounds;
    for (Act act : {Act::early_done, Act::callback_order, Act::host_thread}) {
      std::vector<int64_t> freeze_ns;
      int done_in_freeze = 0, done_after = 0, called_in_freeze = 0;
      constexpr int kTrials = 6;
      for (int i = 0; i < kTrials; ++i) {
        // So that what is counted as right is of these inputs.
        WindowPlan honest;
        honest.freeze = honest.probe = false;
        judge.window(*side, honest);
        judge.poison_outputs();
        judge.synchronize();
        side->page().called_back = 0;
        side->page().parameter[0] = 5'000'000;
        side->call(act);
        int64_t begin_ns = now_ns();
        side->freeze();
        freeze_ns.push_back(now_ns() - begin_ns);
        sleep_us(40'000);
        called_in_freeze += side->page().called_back != 0;
        done_in_freeze += judge.wrong_now() == 0;
        side->thaw();
        sleep_us(2000);
        side->call(Act::drain);
        sleep_us(10'000);
        side->call(Act::drain);
        done_after += judge.wrong_now() == 0;
      }
      Row("frozen")
          .text("by", name)
          .text("act", name_of(act))
          .whole("trials", kTrials)
          .whole("work_done_in_freeze", done_in_freeze)
          .whole("host_function_ran_in_freeze", called_in_freeze)
          .whole("work_done_after_thaw", done_after)
          .spread_us("freeze_us", freeze_ns)
          .print();
    }
  }
}

namespace {

// What the judge asks the card before and behind a window: whether anything else is there.
constexpr size_t kProbes = 5;
constexpr std::array<const char*, kProbes> kProbeNames = {"null", "to_host", "from_host",
                                                          "null_behind", "to_host_behind"};

// What a candidate leaves queued against its baseline.
struct Hog {
  Act act;
  const char* name;
  bool again;  // is queued before each window
  std::array<int64_t, 3> parameters;
};
constexpr std::array kHogs = {
    Hog{Act::hog_compute, "endless kernel", false, {}},
    Hog{Act::hog_copy, "copies on the card", false, {int64_t{1} << 30, 800, 0}},
    Hog{Act::hog_from_host, "copies from the host", true, {0, 500, 0}},
    Hog{Act::hog_host_copy, "copies to the host", true, {40'000'000, 0, 0}},
    Hog{Act::hog_bursts, "kernel behind copies to the host", true, {1'500'000, 10'000'000, 1}},
    Hog{Act::hog_bursts,
        "short kernels between copies to the host",
        true,
        {1'000'000, 300'000, 30}},
    Hog{Act::hog_words, "kernel behind waits for words", true, {200, 10'000'000, 0}},
    Hog{Act::hog_graph, "kernel behind a graph of words", true, {1'500'000, 10'000'000, 0}},
    Hog{Act::hog_graph, "short kernel behind a graph of words", true, {1'500'000, 1'000'000, 0}},
};
// Those that the card queues itself.
constexpr std::array kHogsByCard = {
    Hog{Act::hog_kernel_tail,
        "kernels that launch themselves, then a hog",
        true,
        {1'500'000, 10'000'000, 0}},
    Hog{Act::hog_kernel_tail,
        "kernels that launch themselves, then a short hog",
        true,
        {1'500'000, 1'000'000, 0}},
    Hog{Act::hog_graph_tail,
        "graphs that launch themselves, then a hog",
        true,
        {1'500'000, 10'000'000, 0}},
    Hog{Act::hog_graph_tail,
        "graphs that launch themselves, then a short hog",
        true,
        {1'500'000, 1'000'000, 0}},
    Hog{Act::hog_sibling, "a graph's sibling", true, {0, 10'000'000, 0}},
};

struct Neighbour {
  std::array<std::vector<int64_t>, kProbes> probes_ns;
  Tally tally;
};

Neighbour baseline_windows(Judge& judge, Side& baseline, int count,
                           const std::function<void()>& before) {
  Neighbour seen;
  for (int i = 0; i < count + 2; ++i) {
    before();
    std::array<int64_t, kProbes> took{judge.null_ns(), judge.read_back_ns(), judge.write_4k_ns()};
    Window window = judge.window(baseline, WindowPlan{});
    took[3] = judge.null_ns();
    took[4] = judge.read_back_ns();
    if (i < 2) continue;
    for (size_t probe = 0; probe < kProbes; ++probe) seen.probes_ns[probe].push_back(took[probe]);
    seen.tally.add(window);
  }
  return seen;
}

}  // namespace

// A candidate that stands still, and what it has queued against its baseline's windows.
void hogs() {
  Judge judge(1U << 26, 1);
  auto baseline = judge.start_honest_side();
  judge.warm_up();
  struct Kind {
    const char* name;
    uint32_t rounds;
  };
  const std::array kinds = {Kind{"memory_bound", 1}, Kind{"compute_bound", judge.rounds_for(3000)}};
  std::array<Neighbour, kinds.size()> solo;
  auto print = [&](std::string_view hog, size_t kind, const Neighbour& seen) {
    const Neighbour& usual = solo[kind];
    double usual_ns = median(usual.tally.wall_ns);
    int slow = 0, unseen = 0;
    std::array<int, kProbes> alarms{};
    for (size_t i = 0; i < seen.tally.wall_ns.size(); ++i) {
      bool is_slow = static_cast<double>(seen.tally.wall_ns[i]) > 1.05 * usual_ns;
      bool is_seen = false;
      for (size_t probe = 0; probe < kProbes; ++probe) {
        bool alarm =
            static_cast<double>(seen.probes_ns[probe][i]) > 2.5 * median(usual.probes_ns[probe]);
        alarms[probe] += alarm;
        is_seen |= alarm;
      }
      slow += is_slow;
      unseen += is_slow && !is_seen;
    }
    Row row("baseline");
    row.text("hog", hog)
        .text("kind", kinds[kind].name)
        .number("slowdown", median(seen.tally.wall_ns) / usual_ns)
        .number("slowdown_by_card", median(seen.tally.card_ns) / median(usual.tally.card_ns))
        .number("slowdown_most", static_cast<double>(quantile(seen.tally.wall_ns, 1.0)) / usual_ns)
        .whole("slow_windows", slow)
        .whole("slow_and_unseen", unseen);
    for (size_t probe = 0; probe < kProbes; ++probe) {
      std::string name = kProbeNames[probe];
      row.number(name + "_us", median(seen.probes_ns[probe]) / 1e3)
          .whole(name + "_alarms", alarms[probe]);
    }
    seen.tally.print_to(row);
    row.print();
  };
  auto nothing = [] {};
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    baseline->page().rounds = kinds[kind].rounds;
    solo[kind] = baseline_windows(judge, *baseline, 30, nothing);
    print("none", kind, solo[kind]);
  }
  for (const Hog& each : kHogs) {
    for (size_t kind = 0; kind < kinds.size(); ++kind) {
      auto hog = judge.start_honest_side();
      baseline->page().rounds = kinds[kind].rounds;
      bool works = true;
      auto set = [&] {
        if (!works) return;
        hog->thaw();
        if (each.again) hog->call(Act::drain);
        for (size_t i = 0; i < each.parameters.size(); ++i)
          hog->page().parameter[i] = each.parameters[i];
        works = hog->try_call(each.act);
        if (works) hog->freeze();
      };
      set();
      if (!works) {
        Row("baseline").text("hog", each.name).text("problem", hog->problem()).print();
        continue;
      }
      if (each.again) {
        hog->thaw();
        hog->call(Act::drain);
        int64_t begin_ns = now_ns();
        hog->call(each.act);
        int64_t queued_ns = now_ns() - begin_ns;
        hog->call(Act::drain);
        Row("hog_alone")
            .text("hog", each.name)
            .number("queued_us", us(queued_ns))
            .number("all_us", us(now_ns() - begin_ns))
            .print();
      }
      print(each.name, kind,
            baseline_windows(judge, *baseline, 12,
                             each.again ? std::function<void()>(set) : nothing));
      hog->kill();
    }
  }
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    baseline->page().rounds = kinds[kind].rounds;
    print("none again", kind, baseline_windows(judge, *baseline, 30, nothing));
  }
}

// Does a window of persisting L2 survive what the judge does between windows?
void reach() {
  Judge judge(kElements, 1);
  judge.warm_up();
  constexpr int64_t kBytes = int64_t{20} << 20;
  enum class Between { nothing, flush, flush_often, reset, reset_and_flush };
  constexpr std::string_view kNames[] = {"nothing", "write_256_mib", "write_256_mib_4_times",
                                         "reset_persisting", "reset_persisting_and_write"};
  for (bool persists : {false, true}) {
    auto side = judge.start_honest_side();
    side->page().parameter[0] = kBytes;
    side->page().parameter[1] = persists ? 1 : 0;
    for (size_t between = 0; between < std::size(kNames); ++between) {
      std::vector<double> times_us;
      for (int i = 0; i < 12; ++i) {
        side->call(Act::reach_prepare);
        side->freeze();
        auto what = static_cast<Between>(between);
        if (what == Between::reset || what == Between::reset_and_flush)
          check(driver().cuCtxResetPersistingL2Cache(), "reset L2");
        if (what != Between::nothing && what != Between::reset)
          judge.flush(what == Between::flush_often ? 4 : 1);
        side->thaw();
        side->call(Act::reach_read);
        times_us.push_back(us(side->page().said[0]));
      }
      double time_us = quantile(times_us, 0.5);
      Row("reach")
          .flag("persists", persists)
          .text("between", kNames[between])
          .whole("bytes", kBytes)
          .whole("set_aside_bytes", side->page().said[1])
          .number("read_us", time_us)
          .number("read_us_p10", quantile(times_us, 0.1))
          .number("gb_per_s", static_cast<double>(kBytes) / time_us / 1e3)
          .print();
    }
  }
}

namespace {

constexpr std::array<const char*, 3> kOfKernels = {"fire and forget", "tail", "own stream"};
constexpr std::array<const char*, 3> kOfGraphs = {"fire and forget", "tail", "sibling"};

}  // namespace

// Work that the card launches itself: does it outlast what its launcher waits for? Naively a clock
// ends with that, and by the candidate's own events.
void device() {
  Judge judge(kElements, 1);
  judge.warm_up();
  constexpr double kWork_us = 2000;
  uint32_t rounds = judge.rounds_for(kWork_us);
  WindowPlan naive;
  naive.start = Start::gap;
  naive.gap_us = 0;
  naive.freeze = naive.probe = false;
  naive.late = true;
  WindowPlan by_engine;
  by_engine.late = true;
  by_engine.end = End::engine;
  by_engine.freeze_late = true;
  Tally honest_naive, honest;
  struct Tried {
    Act act;
    const char* how;
    int64_t number;
  };
  std::vector<Tried> all = {{Act::honest, "", 0}, {Act::early_done, "", 0}};
  for (int64_t i = 0; i < 3; ++i) {
    all.push_back({Act::graph_child, kOfGraphs[static_cast<size_t>(i)], i});
    all.push_back({Act::kernel_child, kOfKernels[static_cast<size_t>(i)], i});
  }
  all.push_back({Act::graph_child, "fire and forget, not waited for", 10});
  all.push_back({Act::kernel_child, "fire and forget, not waited for", 10});
  for (const Tried& tried : all) {
    auto side = judge.start_honest_side();
    side->page().rounds = rounds;
    side->page().parameter[0] = tried.number;
    side->page().parameter[2] = 1;
    bool of_card = tried.act == Act::kernel_child || tried.act == Act::graph_child;
    bool has_claim = of_card && tried.number < 10;
    bool works = side->try_call(tried.act) && side->try_call(Act::drain);
    Row row("device_launch");
    row.text("act", name_of(tried.act)).text("how", tried.how);
    if (!works) {
      row.text("problem", side->problem()).print();
      continue;
    }
    if (has_claim)
      row.whole("result_on_card", side->page().said[1])
          .number("claimed_us", us(side->page().said[0]))
          .number("work_us", kWork_us);
    row.print();
    side->page().parameter[2] = 0;
    for (bool is_naive : {true, false}) {
      WindowPlan plan = is_naive ? naive : by_engine;
      plan.act = tried.act;
      Tally tally = windows(judge, *side, plan, 20);
      if (tried.act == Act::honest) (is_naive ? honest_naive : honest) = tally;
      Row result("device");
      result.text("act", name_of(tried.act))
          .text("how", tried.how)
          .number("work_us", kWork_us)
          .text("clock", is_naive ? "naive" : "judge")
          .number("claimed_us", has_claim ? us(side->page().said[0]) : 0);
      add_gains(result, is_naive ? honest_naive : honest, tally, is_naive, true);
      tally.print_to(result);
      result.print();
    }
  }
}

namespace {

// A side that has a hog queued, or is honest where there is none.
struct Beside {
  std::unique_ptr<Side> side;
  int64_t start_ns = 0;
  bool works = true;
};

Beside start_beside(Judge& judge, const Hog* hog) {
  Beside beside;
  int64_t begin_ns = now_ns();
  beside.side = judge.start_honest_side();
  beside.start_ns = now_ns() - begin_ns;
  if (hog) {
    for (size_t i = 0; i < hog->parameters.size(); ++i)
      beside.side->page().parameter[i] = hog->parameters[i];
    beside.works = beside.side->try_call(hog->act);
  } else {
    beside.side->call(Act::honest);
  }
  if (beside.works) beside.side->freeze();
  return beside;
}

}  // namespace

// The baseline's windows with no candidate alive, before and behind those beside a stopped one.
void sandwich() {
  Judge judge(1U << 26, 1);
  auto baseline = judge.start_honest_side();
  judge.warm_up();
  const std::array<std::pair<const char*, uint32_t>, 2> kinds = {
      std::pair{"memory_bound", 1U}, std::pair{"compute_bound", judge.rounds_for(3000)}};
  std::vector<const Hog*> all = {nullptr, nullptr, nullptr};  // honest ones
  for (const Hog& hog : kHogs) all.push_back(&hog);
  for (const Hog& hog : kHogsByCard) all.push_back(&hog);
  all.insert(all.end(), {nullptr, nullptr, nullptr});
  for (const auto& [kind, rounds] : kinds) {
    std::array<std::vector<int64_t>, kProbes> usual_ns;  // probes beside nobody
    for (const Hog* hog : all) {
      baseline->page().rounds = rounds;
      auto nothing = [] {};
      Neighbour before = baseline_windows(judge, *baseline, 5, nothing);
      for (size_t probe = 0; probe < kProbes; ++probe)
        usual_ns[probe].insert(usual_ns[probe].end(), before.probes_ns[probe].begin(),
                               before.probes_ns[probe].end());
      Beside beside = start_beside(judge, hog);
      Row row("sandwich");
      row.text("hog", hog ? hog->name : "none").text("kind", kind);
      if (!beside.works) {
        row.text("problem", beside.side->problem()).print();
        continue;
      }
      std::vector<int64_t> queue_ns;
      auto again = [&] {
        if (!hog || !hog->again) return;
        beside.side->thaw();
        beside.side->call(Act::drain);
        int64_t begin_ns = now_ns();
        beside.side->call(hog->act);
        queue_ns.push_back(now_ns() - begin_ns);
        beside.side->freeze();
      };
      Neighbour during = baseline_windows(judge, *baseline, 8, again);
      again();  // so that it is killed with something queued
      int64_t begin_ns = now_ns();
      beside.side->kill();
      int64_t kill_ns = now_ns() - begin_ns;
      int64_t null_ns = judge.null_ns();
      Neighbour behind = baseline_windows(judge, *baseline, 5, nothing);
      double alone_ns = (median(before.tally.wall_ns) + median(behind.tally.wall_ns)) / 2;
      int slow = 0, unseen = 0;
      for (size_t i = 0; i < during.tally.wall_ns.size(); ++i) {
        bool is_slow = static_cast<double>(during.tally.wall_ns[i]) > 1.05 * alone_ns, seen = false;
        for (size_t probe = 0; probe < kProbes; ++probe)
          seen |= static_cast<double>(during.probes_ns[probe][i]) > 2.5 * median(usual_ns[probe]);
        slow += is_slow;
        unseen += is_slow && !seen;
      }
      row.number("beside_by_alone", median(during.tally.wall_ns) / alone_ns)
          .number("behind_by_before", median(behind.tally.wall_ns) / median(before.tally.wall_ns))
          .number("behind_by_before_card",
                  median(behind.tally.card_ns) / median(before.tally.card_ns))
          .number("alone_us", alone_ns / 1e3)
          .whole("windows", during.tally.windows)
          .whole("slow_windows", slow)
          .whole("slow_and_unseen", unseen)
          .number("start_ms", static_cast<double>(beside.start_ns) / 1e6)
          .number("kill_ms", static_cast<double>(kill_ns) / 1e6)
          .number("null_after_kill_us", us(null_ns))
          .number("queue_us", us(quantile(queue_ns, 0.5)));
      auto list = [&](const char* name, const Neighbour& seen) {
        std::vector<double> wall_us;
        for (int64_t wall_ns : seen.tally.wall_ns) wall_us.push_back(us(wall_ns));
        row.numbers(name, wall_us);
      };
      list("before_us", before);
      list("beside_us", during);
      list("behind_us", behind);
      row.print();
    }
  }
}

// Outputs that take less and more than a turn to copy, the last of which are written late: what do
// the sample and the copy behind it see?
void large() {
  for (uint32_t elements : {1U << 27, 1U << 30}) {
    Judge judge(elements, 1);
    judge.warm_up();
    auto side = judge.start_honest_side();
    Row copies("large_copy");
    copies.number("outputs_gib", elements / double(1U << 28));
    for (bool by_kernel : {true, false}) {
      std::vector<int64_t> times_ns;
      for (int i = 0; i < 5; ++i) {
        int64_t begin_ns = now_ns();
        by_kernel ? judge.keep_outputs() : static_cast<void>(judge.copy_ns());
        times_ns.push_back(now_ns() - begin_ns);
      }
      copies.number(by_kernel ? "by_kernel_us" : "by_engine_us", us(quantile(times_ns, 0.5)));
    }
    copies.print();
    for (double work_us : {20'000.0, 80'000.0}) {
      bool is_long = work_us > 50'000;
      if (is_long && elements < 1U << 30) continue;
      uint32_t rounds = judge.rounds_for(work_us);
      side->page().rounds = rounds;
      Tally honest;
      for (uint32_t pieces : {128U, 512U}) {
        judge.set_engine_rows(pieces);
        for (int64_t late : {0, 100, 1'000, 10'000, 200'000}) {
          if (pieces == 512 && late != 1'000) continue;
          side->page().parameter[0] = late;
          WindowPlan plan;
          plan.act = Act::late_tail;
          plan.end = End::engine;
          plan.freeze_late = true;
          plan.late = true;
          plan.probe = false;
          Tally tally = windows(judge, *side, plan, is_long ? 5 : late == 1'000 ? 16 : 8);
          if (late == 0) honest = tally;
          Row row("large");
          row.number("outputs_gib", elements / double(1U << 28))
              .number("work_us", work_us)
              .whole("late_millionths", late)
              .whole("pieces", 8 * pieces)
              .number("late_us", work_us * static_cast<double>(late) / 1e6);
          add_gains(row, honest, tally, false, true);
          tally.print_to(row);
          row.print();
        }
      }
      judge.set_engine_rows(128);
    }
  }
}

// The same with strips that go on to the end, behind a gate and without one: is what is late seen,
// wherever it is, and what does the sample take?
void strips() {
  struct Try {
    bool is_gated, to_end;
    int64_t late, behind;  // millionths
    int windows;           // with work of 20 ms
    int windows_of_longer;
    uint32_t rows = 128;
  };
  constexpr int64_t kBegin = 1'000'000 - 10'000, kMiddle = 500'000;  // what stands behind
  constexpr std::array tries = {
      Try{true, true, 0, 0, 8, 4},
      Try{true, true, 10'000, 0, 40, 10},
      Try{true, true, 1'000, 0, 40, 24},
      Try{true, true, 10'000, kBegin, 20, 0},
      Try{true, true, 10'000, kMiddle, 20, 0},
      Try{true, true, 1'000, kMiddle, 20, 12},
      Try{true, true, 1'000, 0, 20, 12, 512},
      Try{true, false, 0, 0, 8, 0},
      Try{true, false, 10'000, 0, 24, 0},
      Try{false, true, 0, 0, 8, 0},
      Try{false, true, 10'000, 0, 24, 0},
      Try{false, true, 1'000, 0, 16, 0},
  };
  for (uint32_t elements : {1U << 27, 1U << 30}) {
    double outputs_gib = elements / double(1U << 28);
    Judge judge(elements, 1);
    judge.warm_up();
    auto side = judge.start_honest_side();
    for (auto [to_end, rows] : {std::pair{false, 128U}, std::pair{true, 128U},
                                std::pair{false, 512U}, std::pair{true, 512U}}) {
      judge.set_strips_to_end(to_end);
      judge.set_engine_rows(rows);
      std::vector<int64_t> times_ns;
      std::vector<double> pieces;
      for (int i = 0; i < 40; ++i) {
        times_ns.push_back(judge.engine_sample_ns());
        pieces.push_back(judge.pieces());
      }
      Row row("strips_cost");
      row.number("outputs_gib", outputs_gib)
          .whole("to_end", to_end)
          .number("pieces", quantile(pieces, 0.5))
          .spread_us("us", times_ns)
          .print();
    }
    for (double work_us : {20'000.0, 80'000.0, 200'000.0}) {
      if (work_us > 100'000 && elements < 1U << 30) continue;
      side->page().rounds = judge.rounds_for(work_us);
      Tally honest;
      for (const Try& tried : tries) {
        int count = work_us > 20'000 ? tried.windows_of_longer : tried.windows;
        if (count == 0) continue;
        judge.set_strips_to_end(tried.to_end);
        judge.set_engine_rows(tried.rows);
        side->page().parameter[0] = tried.late;
        side->page().parameter[1] = tried.behind;
        side->page().parameter[2] = tried.is_gated;
        WindowPlan plan;
        plan.act = Act::late_tail;
        plan.end = End::engine;
        plan.freeze_late = true;
        plan.probe = false;
        Tally tally;
        std::vector<double> pieces;
        uint64_t wrong_in_copy = 0;
        // All is copied in one that does not count, and the outputs are verified at the end.
        for (int i = -2; i < count; ++i) {
          judge.set_copies(i == -1);
          Window window = tried.is_gated ? judge.gated_window(*side, End::engine, Act::late_tail)
                                         : judge.window(*side, plan);
          side->thaw();
          side->call(Act::drain);
          if (i == -1) wrong_in_copy = window.wrong;
          if (i < 0) continue;
          tally.add(window);
          pieces.push_back(judge.pieces());
        }
        judge.set_copies(true);
        uint64_t wrong_at_last = judge.wrong_now();
        if (tried.late == 0) honest = tally;
        std::vector<double> words(tally.wrong_words.begin(), tally.wrong_words.end());
        Row row("strips");
        row.number("outputs_gib", outputs_gib)
            .number("work_us", work_us)
            .whole("gated", tried.is_gated)
            .whole("to_end", tried.to_end)
            .whole("late_millionths", tried.late)
            .whole("behind_millionths", tried.behind)
            .number("late_us", work_us * static_cast<double>(tried.late) / 1e6)
            .number("pieces", quantile(pieces, 0.5))
            .number("wrong_pieces", quantile(words, 0.5) / 4)
            .number("wrong_pieces_least", quantile(words, 0.0) / 4)
            .whole("wrong_in_copy", static_cast<int64_t>(wrong_in_copy))
            .whole("wrong_at_last", static_cast<int64_t>(wrong_at_last));
        add_gains(row, honest, tally, false, true);
        tally.print_to(row);
        row.print();
      }
    }
  }
}

}  // namespace assay::gpu

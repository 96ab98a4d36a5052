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
    row.number("gain", median(honest.wall_ns) / median(attack.right_wall_ns));
    row.number("gain_by_card", median(honest.card_ns) / median(attack.right_card_ns));
    row.number("gain_best",
               median(honest.wall_ns) / static_cast<double>(quantile(attack.right_wall_ns, 0.0)));
  }
}

void print_tally(const char* name, Act act, double work_us, const char* clock,
                 const WindowPlan& plan, const Tally& honest, const Tally& attack) {
  Row row(name);
  row.text("act", name_of(act))
      .number("work_us", work_us)
      .text("clock", clock)
      .text("start", kStartNames[static_cast<size_t>(plan.start)])
      .flag("frozen", plan.freeze);
  bool naive = std::string_view(clock) == "naive";
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
  for (const char* kind : {"two_kernels", "kernel_then_host_then_kernel", "two_engine_copies",
                           "kernel_then_engine_copy"}) {
    std::vector<double> between_us, first_us, latency_us;
    std::string_view name = kind;
    for (int i = 0; i < 12; ++i) {
      check(driver().cuMemsetD32(judge.outputs(), 0, kWords), "clear");
      check(driver().cuCtxSynchronize(), "synchronize");
      side.call(Act::progress);
      sleep_us(3000 + 100 * i);
      int64_t from_ns = now_ns();
      name.starts_with("two_engine") ? engine_copy(0) : kernel_copy(0);
      if (name == "kernel_then_host_then_kernel") judge.synchronize();
      name.ends_with("kernel") || name == "two_kernels" ? kernel_copy(1) : engine_copy(1);
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

}  // namespace

void slices() {
  Judge judge(kElements, 1);
  auto side = judge.start_honest_side();
  judge.warm_up();
  latency_rows(judge, *side);
  gap_rows(judge, *side);
  progress_rows(judge, *side);
  context_rows(judge, *side);
}

void ends() {
  Judge judge(kElements, 1);
  auto side = judge.start_honest_side();
  judge.warm_up();
  WindowPlan naive, ours;
  naive.start = Start::gap;
  naive.gap_us = 0;
  naive.freeze = naive.probe = false;
  naive.late = ours.late = true;
  for (int64_t work_us : {2000, 50, 500, 20'000, 200'000}) {
    side->page().rounds = judge.rounds_for(static_cast<double>(work_us));
    auto work = static_cast<double>(work_us);
    int count = work_us >= 200'000 ? 4 : work_us >= 20'000 ? 10 : 20;
    naive.act = ours.act = Act::honest;
    Tally honest_naive = windows(judge, *side, naive, count);
    Tally honest = windows(judge, *side, ours, count);
    print_tally("end", Act::honest, work, "naive", naive, honest_naive, honest_naive);
    print_tally("end", Act::honest, work, "judge", ours, honest, honest);
    std::vector<Act> acts = {Act::early_done};
    if (work_us == 2000)
      acts = {Act::early_done, Act::side_stream, Act::host_thread, Act::host_callback,
              Act::copy_delay, Act::copy_tail,   Act::priority,    Act::contexts};
    for (Act act : acts) {
      side->page().parameter[0] = act == Act::copy_delay ? 5'000'000 : 2'000'000;
      naive.act = ours.act = act;
      Tally control = windows(judge, *side, naive, count);
      print_tally("end", act, work, "naive", naive, honest_naive, control);
      if (act == Act::side_stream)
        Row("own_events")
            .number("claimed_us", us(side->page().said[0]))
            .number("work_us", work)
            .print();
      Tally attack = windows(judge, *side, ours, count);
      print_tally("end", act, work, "judge", ours, honest, attack);
      if (act == Act::contexts) {
        // Of the honest one again, with the contexts there.
        naive.act = ours.act = Act::honest;
        Tally again = windows(judge, *side, ours, count);
        print_tally("end_with_contexts", Act::honest, work, "judge", ours, honest, again);
        side = judge.start_honest_side();
      }
    }
  }
}

void starts() {
  Judge judge(kElements, 1);
  judge.warm_up();
  constexpr std::array kWork_us = {500, 5000};
  constexpr std::array kStarts = {Start::gap, Start::at_write_end, Start::scatter_inside,
                                  Start::whole_inside};
  Tally honest[kWork_us.size()][kStarts.size()];
  for (Act act : {Act::honest, Act::wait_value, Act::patch, Act::poller}) {
    auto side = judge.start_honest_side();
    for (size_t work = 0; work < kWork_us.size(); ++work) {
      side->page().rounds = judge.rounds_for(kWork_us[work]);
      for (size_t start = 0; start < kStarts.size(); ++start) {
        WindowPlan plan;
        plan.act = act;
        plan.start = kStarts[start];
        bool naive = plan.start == Start::gap;
        if (naive) plan.gap_us = 2 * kWork_us[work];
        if (naive) plan.freeze = plan.probe = false;
        Tally tally = windows(judge, *side, plan, act == Act::poller ? 10 : 15);
        if (act == Act::honest) honest[work][start] = tally;
        print_tally("start", act, kWork_us[work], naive ? "naive" : "judge", plan,
                    honest[work][start], tally);
      }
    }
    side->kill();
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

struct Probes {
  std::vector<int64_t> null_ns, copy_ns, bandwidth_ns;
};

Tally baseline_windows(Judge& judge, Side& baseline, int count, Probes& probes,
                       const std::function<void()>& before) {
  Tally tally;
  WindowPlan plan;
  for (int i = 0; i < count + 2; ++i) {
    before();
    int64_t null_ns = judge.null_ns();
    int64_t copy_ns = judge.copy_probe_ns();
    int64_t bandwidth_ns = judge.bandwidth_ns();
    Window window = judge.window(baseline, plan);
    if (i < 2) continue;
    probes.null_ns.push_back(null_ns);
    probes.copy_ns.push_back(copy_ns);
    probes.bandwidth_ns.push_back(bandwidth_ns);
    tally.add(window);
  }
  return tally;
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
  const std::array kinds = {Kind{"memory_bound", 1}, Kind{"compute_bound", judge.rounds_for(1500)}};
  Tally solo[kinds.size()];
  auto print = [&](const char* hog, size_t kind, const Tally& tally, const Probes& probes) {
    Row row("baseline");
    row.text("hog", hog)
        .text("kind", kinds[kind].name)
        .number("slowdown", median(tally.wall_ns) / median(solo[kind].wall_ns))
        .number("slowdown_by_card", median(tally.card_ns) / median(solo[kind].card_ns))
        .spread_us("null_probe_us", probes.null_ns)
        .spread_us("copy_probe_us", probes.copy_ns)
        .spread_us("bandwidth_probe_us", probes.bandwidth_ns);
    tally.print_to(row);
    row.print();
  };
  auto nothing = [] {};
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    baseline->page().rounds = kinds[kind].rounds;
    Probes probes;
    solo[kind] = baseline_windows(judge, *baseline, 20, probes, nothing);
    print("none", kind, solo[kind], probes);
  }
  for (Act act : {Act::hog_copy, Act::hog_delayed, Act::hog_compute}) {
    for (size_t kind = 0; kind < kinds.size(); ++kind) {
      auto hog = judge.start_honest_side();
      baseline->page().rounds = kinds[kind].rounds;
      auto set = [&] {
        hog->thaw();
        if (act == Act::hog_delayed) sleep_us(30'000);
        hog->page().parameter[0] = act == Act::hog_copy ? int64_t{1} << 30 : 4'000'000;
        hog->page().parameter[1] = act == Act::hog_copy ? 800 : 20'000'000;
        hog->call(act);
        hog->freeze();
      };
      Probes probes;
      if (act != Act::hog_delayed) set();
      Tally tally =
          baseline_windows(judge, *baseline, 12, probes,
                           act == Act::hog_delayed ? std::function<void()>(set) : nothing);
      print(std::string(name_of(act)).c_str(), kind, tally, probes);
      int64_t begin_ns = now_ns();
      hog->kill();
      int64_t killed_ns = now_ns() - begin_ns;
      int64_t null_ns = judge.null_ns();
      Row("hog_killed")
          .text("hog", name_of(act))
          .number("gone_ms", static_cast<double>(killed_ns) / 1e6)
          .number("next_null_us", us(null_ns))
          .print();
    }
  }
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    baseline->page().rounds = kinds[kind].rounds;
    Probes probes;
    Tally again = baseline_windows(judge, *baseline, 12, probes, nothing);
    print("none_again", kind, again, probes);
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

}  // namespace assay::gpu

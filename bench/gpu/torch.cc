// Work that waits behind a word on the card: how much of it, what else notices it, and what torch's
// programs make of it, in a fork of a zygote in a jail.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "experiments.h"
#include "judge.h"
#include "levels.h"

namespace assay::gpu {
namespace {

double us(int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e3; }
double ms(int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e6; }
double median_us(const std::vector<int64_t>& times_ns) { return us(quantile(times_ns, 0.5)); }

// False where the count that a side keeps in said[0] stands still for so long.
bool wait_while_it_counts(Side& side, int64_t patience_ms) {
  int64_t last = -1;
  int64_t still_ms = 0;
  while (!side.wait(10'000'000)) {
    if (side.page().failed != 0 || side.ended()) return false;
    side.forgive();
    auto count = const_cast<volatile int64_t&>(side.page().said[0]);
    still_ms = count == last ? still_ms + 10 : 0;
    last = count;
    if (still_ms >= patience_ms) return false;
  }
  return true;
}

void ask_to_queue(Judge& judge, Side& side, Queued kind, int64_t count, int64_t place) {
  side.page().parameter[0] = count;
  side.page().parameter[1] = static_cast<int64_t>(kind);
  side.page().parameter[2] = place;
  judge.close_gate(side);
  side.go(Act::fill_queue);
}

void queue_row(Judge& judge, Queued kind) {
  auto side = judge.start_honest_side();
  int64_t wanted = kind == Queued::graph ? 3000 : 20'000;
  int64_t begin_ns = now_ns();
  ask_to_queue(judge, *side, kind, wanted, 0);
  bool all = wait_while_it_counts(*side, 150);
  int64_t queued_ns = now_ns() - begin_ns, count = side->page().said[0];
  Row row("queue");
  row.text("of", kQueuedNames[static_cast<size_t>(kind)])
      .whole("wanted", wanted)
      .whole("queued_before_it_waits", count)
      .flag("waits", !all)
      .text("problem", side->page().failed != 0 ? side->page().text : "");
  if (side->page().failed == 0) {
    std::vector<int64_t> null_ns, read_ns;
    for (int i = 0; i < 10; ++i) {
      null_ns.push_back(judge.null_ns());
      read_ns.push_back(judge.read_back_ns());
    }
    row.number("queue_ms", ms(queued_ns) - (all ? 0 : 150))
        .number("null_beside_us", median_us(null_ns))
        .number("to_host_beside_us", median_us(read_ns));
    side->forgive();
    begin_ns = now_ns();
    judge.open_gate_alone();
    bool done = side->wait(20'000'000'000);
    row.number("all_queued_after_ms", ms(now_ns() - begin_ns));
    row.flag("done", done && side->try_call(Act::drain, 20'000'000'000));
    row.number("all_done_after_ms", ms(now_ns() - begin_ns));
  }
  row.print();
}

// A process that ends with its gate closed.
void killed_rows(Judge& judge) {
  for (int64_t count : {0, 300, 5000}) {
    for (bool stopped : {false, true}) {
      auto side = judge.start_honest_side();
      ask_to_queue(judge, *side, Queued::work, count, 0);
      bool all = wait_while_it_counts(*side, 100);
      if (stopped) side->freeze();
      int64_t begin_ns = now_ns();
      side->kill();
      int64_t gone_ns = now_ns() - begin_ns;
      int64_t null_ns = judge.null_ns();
      Row("killed_behind_a_gate")
          .whole("kernels", count)
          .flag("its_call_waits", !all)
          .flag("stopped", stopped)
          .number("process_gone_ms", ms(gone_ns))
          .number("next_null_us", us(null_ns))
          .number("usual_null_us", us(judge.null_ns()))
          .print();
    }
  }
}

// Does one that waits cost its neighbour anything?
void neighbour_rows(Judge& judge) {
  auto baseline = judge.start_honest_side();
  baseline->page().rounds = judge.rounds_for(500);
  for (const char* beside : {"nobody", "an armed one", "an armed one that is stopped", "nobody"}) {
    std::string_view name = beside;
    std::unique_ptr<Side> armed;
    if (name != "nobody") {
      armed = judge.start_honest_side();
      ask_to_queue(judge, *armed, Queued::work, 200, 2);
      if (!armed->wait()) die("%s", armed->problem().c_str());
      if (name != "an armed one") armed->freeze();
    }
    for (bool gated : {true, false}) {
      Tally tally;
      std::vector<int64_t> null_ns;
      for (int i = 0; i < 32; ++i) {
        null_ns.push_back(judge.null_ns());
        WindowPlan plan;
        plan.end = End::engine;
        plan.freeze_late = true;
        Window window =
            gated ? judge.gated_window(*baseline, End::engine) : judge.window(*baseline, plan);
        if (i >= 2) tally.add(window);
      }
      Row row("beside_a_gate");
      row.text("beside", beside).flag("gated", gated).number("null_us", median_us(null_ns));
      tally.print_to(row);
      row.print();
    }
    if (armed) {
      judge.open_gate_alone(2);
      armed->thaw();
      armed->call(Act::drain);
    }
  }
}

}  // namespace

void queues() {
  Judge judge(1U << 18, 1);
  judge.warm_up();
  for (size_t kind = 0; kind < std::size(kQueuedNames); ++kind)
    queue_row(judge, static_cast<Queued>(kind));
  killed_rows(judge);
  neighbour_rows(judge);
}

namespace {

struct Program {
  const char* name;
  bool on_side_stream = false;
  int64_t first_patience_ms = 1000;
};
constexpr Program kPrograms[] = {
    {"nothing"},
    {"empty"},
    {"matmul"},
    {"softmax"},
    {"layernorm"},
    {"block"},
    {"triton", false, 10'000},
    {"compiled", false, 25'000},
    {"graph"},
    {"chain"},
    {"streams"},
    {"many_900"},
    {"many_1100"},
    {"many_3000"},
    {"matmul", true},
    {"block", true},
    {"default_stream", true},
    {"fresh_memory"},
    {"item"},
    {"to_host"},
    {"nonzero"},
    {"scalar"},
    {"from_host"},
    {"pinned"},
    {"release"},
    {"random"},
    {"synchronize"},
    {"eager:softmax", false, 3000},
    {"eager:matmul", false, 3000},
};

struct Spread {
  std::vector<int64_t> times_ns;
  void print_to(Row& row, const std::string& name, double calls = 1) const {
    if (times_ns.empty()) return;
    for (auto [suffix, part] : {std::pair{"", 0.5}, {"_p10", 0.1}, {"_p90", 0.9}})
      row.number(name + suffix, us(quantile(times_ns, part)) / calls);
  }
};

// What came of the first call, or of one that has been made before, when its gate was closed.
bool call_behind_gate(Judge& judge, Side& side, int64_t patience_ms, const std::string& name,
                      Row& row, std::string& problem) {
  judge.write_all_inputs(judge.secret());
  judge.synchronize();
  judge.close_gate(side);
  int64_t begin_ns = now_ns();
  side.go(Act::arm);
  bool returned = side.wait(patience_ms * 1'000'000);
  row.flag(name + "_returned", returned).number(name + "_ms", ms(now_ns() - begin_ns));
  if (!returned) {
    if (side.page().failed != 0 || side.ended()) {
      problem = side.problem();
      return false;
    }
    side.forgive();
    begin_ns = now_ns();
    judge.open_gate_alone();
    if (!side.wait(30'000'000'000)) problem = side.problem();
    row.number(name + "_returned_after_opening_ms", ms(now_ns() - begin_ns));
  } else {
    judge.open_gate_alone();
  }
  if (problem.empty() && !side.try_call(Act::drain, 30'000'000'000)) problem = side.problem();
  return returned;
}

void gated_windows(Judge& judge, Side& side, Row& row, std::string& problem) {
  Spread arm, card, wall;
  for (int i = 0; i < 14; ++i) {
    judge.close_gate(side);
    int64_t begin_ns = now_ns();
    side.go(Act::arm);
    if (!side.wait(3'000'000'000)) {
      problem = "in a later window: " + side.problem();
      side.forgive();
      judge.open_gate_alone();
      if (!side.wait(10'000'000'000)) problem += "; it does not come back";
      return;
    }
    int64_t arm_ns = now_ns() - begin_ns;
    Window window = judge.open_gate(End::engine);
    if (i < 2) continue;
    arm.times_ns.push_back(arm_ns);
    card.times_ns.push_back(window.all_card_ns);
    wall.times_ns.push_back(window.wall_ns);
  }
  arm.print_to(row, "queue_us");
  card.print_to(row, "gated_card_us");
  wall.print_to(row, "gated_wall_us");
  // The same inputs without a gate.
  auto count = static_cast<uint32_t>(std::clamp<int64_t>(side.page().said[6], 1, 1 << 24));
  judge.keep_outputs();
  judge.poison_outputs();
  judge.synchronize();
  if (!side.try_call(Act::honest)) {
    problem = side.problem();
    return;
  }
  row.whole("outputs", count)
      .whole("apart", static_cast<int64_t>(judge.floats_apart(count, 1e-3F)));
}

void ungated_windows(Judge& judge, Side& side, Row& row) {
  for (uint32_t calls : {1U, 8U}) {
    side.page().slots = calls;
    Spread wall;
    for (int i = 0; i < 14; ++i) {
      WindowPlan plan;
      plan.end = End::engine;
      plan.freeze = false;
      Window window = judge.window(side, plan);
      if (i >= 2) wall.times_ns.push_back(window.wall_ns);
    }
    wall.print_to(row, "window_us_of_" + std::to_string(calls));
  }
  side.page().slots = 1;
}

bool run_program(Judge& judge, Side& side, const std::string& level, const Program& program) {
  Row row("torch_program");
  row.text("level", level)
      .text("program", program.name)
      .flag("side_stream", program.on_side_stream);
  std::strncpy(side.page().text, program.name, sizeof side.page().text - 1);
  side.page().slots = 1;
  side.page().parameter[1] = program.on_side_stream ? 1 : 0;
  std::string problem;
  int64_t begin_ns = now_ns();
  if (!side.try_call(Act::program, 60'000'000'000)) {
    problem = side.problem();
  } else {
    row.number("start_ms", ms(now_ns() - begin_ns));
    constexpr const char* kParts[] = {"fork", "init", "map", "make"};
    for (size_t i = 0; i < std::size(kParts); ++i)
      row.number(std::string(kParts[i]) + "_ms", us(side.page().said[i]));
    bool works = call_behind_gate(judge, side, program.first_patience_ms, "first", row, problem);
    for (int i = 0; i < 3 && problem.empty(); ++i)
      if (!side.try_call(Act::honest, 30'000'000'000)) problem = side.problem();
    if (problem.empty()) works = call_behind_gate(judge, side, 150, "later", row, problem);
    if (problem.empty() && works) gated_windows(judge, side, row, problem);
    if (problem.empty()) {
      ungated_windows(judge, side, row);
      if (side.try_call(Act::events, 20'000'000'000)) {
        row.number("events_mean_us", us(side.page().said[0]))
            .number("events_single_us", us(side.page().said[1]))
            .number("host_us", us(side.page().said[2]))
            .number("own_wall_us", us(side.page().said[3]));
      } else {
        problem = side.problem();
      }
    }
  }
  side.forgive();
  begin_ns = now_ns();
  if (!problem.empty()) judge.open_gate_alone();
  side.page().drop = 1;
  while (side.page().drop != 0 && !side.ended() && now_ns() - begin_ns < 10'000'000'000)
    sleep_us(100);
  row.number("killed_ms", ms(now_ns() - begin_ns)).number("null_us", us(judge.null_ns()));
  side.forgive();
  row.text("problem", problem).print();
  return problem.empty();
}

}  // namespace

void torch_gates() {
  const char* python = ::getenv("GPU_PROBE_PYTHON");
  const char* script = ::getenv("GPU_PROBE_TORCH_GATE");
  if (!python || !script) die("GPU_PROBE_PYTHON and GPU_PROBE_TORCH_GATE name what to run");
  Judge judge(1U << 24, 1);
  judge.set_floats();
  judge.warm_up();
  std::string strictest;
  JailOptions strict = full_jail(judge, strictest);
  JailOptions open = strict;
  open.answers = {{"*", 0}};
  std::string names;
  for (std::string_view name : kActNames) names += (names.empty() ? "" : ",") + std::string(name);
  std::string place = script;
  std::vector<const Program*> wanted;
  for (const Program& program : kPrograms) wanted.push_back(&program);
  for (Level level : std::initializer_list<Level>{
           {strictest, strict}, {"filter that allows all", open}, {"plain", {}}}) {
    if (wanted.empty()) break;
    if (level.jail.namespaces) {
      for (const char* node : {"/dev/null", "/dev/zero", "/dev/urandom"})
        level.jail.devices.push_back(node);
      level.jail.read_only.push_back(place.substr(0, place.rfind('/')));
    }
    Side::Plan plan;
    plan.elements = judge.layout().elements;
    plan.arena_fd = judge.arena().fd;
    plan.jail = level.jail;
    plan.patience_ns = 40'000'000'000;
    plan.command = {python,
                    script,
                    names,
                    std::to_string(judge.arena().bytes),
                    std::to_string(judge.layout().outputs_at()),
                    std::to_string(judge.layout().words_at())};
    auto side = std::make_unique<Side>(plan);
    side->freeze_by(Freeze::none);
    Row("torch_zygote")
        .text("level", level.name)
        .number("ready_ms", ms(side->ready_ns()))
        .text("problem", side->problem())
        .print();
    std::vector<const Program*> again;
    bool starts = side->problem().empty();
    for (const Program* program : wanted)
      if (!starts || side->ended() || !run_program(judge, *side, level.name, *program))
        again.push_back(program);
    side->kill();
    Seen seen = side->seen();
    Row("torch_jail")
        .text("level", level.name)
        .text("refused_calls", counts_of(seen.refused))
        .text("noted_calls", counts_of(seen.allowed))
        .print();
    wanted = again;
  }
}

}  // namespace assay::gpu

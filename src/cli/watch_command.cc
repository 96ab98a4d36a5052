// `assay watch`: how a run stands, from its folder alone, while another process works on it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/escape.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/output.h"
#include "report/search_results.h"
#include "report/summary.h"
#include "store/run_store.h"

namespace assay {
namespace {

constexpr auto kLookEvery = std::chrono::milliseconds(500);

// Where a run stands at one moment.
struct State {
  bool is_at_work = false;  // a process of assay's holds the folder
  size_t attempts = 0;
  std::string verdicts;  // "3 accepted, 1 rejected"
  SearchRecord search;
};

Result<State> look_at(const std::string& folder) {
  State state;
  // First: a run that ends meanwhile has stored everything that is read below.
  state.is_at_work = RunStore::is_at_work(folder);
  ASSAY_ASSIGN(RunStore store, RunStore::open_to_read(system_disk(), folder));
  ASSAY_ASSIGN(auto attempts, store.attempts(false));
  state.attempts = attempts.size();
  state.verdicts = in_words(summarise(attempts).all);
  ASSAY_ASSIGN(state.search, store.search().record());
  return state;
}

// What of a search is asked for, or judged.
Json under_way(const State& state) {
  Json list = Json::array();
  for (const Tree& tree : state.search.trees)
    for (const SearchNode& node : tree.nodes())
      if (!node.verdict)
        list.push_back({{"problem", tree.problem()},
                        {"attempt", node.attempt},
                        {"sample", node.sample},
                        {"step", to_word(kSearchStepWords, node.step)},
                        {"at", node.answer ? "judged" : "asked"}});
  return list;
}

Json json_of(const State& state) {
  Json json{
      {"is_at_work", state.is_at_work}, {"attempts", state.attempts}, {"verdicts", state.verdicts}};
  if (!state.search.is_there()) return json;
  json["search"] = search_summary_json(state.search);
  json["under_way"] = under_way(state);
  json["wall_ms"] = state.search.wall_ns / 1'000'000;
  json["judge_idle_ms_while_answers_wait"] = state.search.judge_idle_ns / 1'000'000;
  return json;
}

std::string text_of(const State& state) {
  std::string text;
  if (state.search.is_there()) {
    text = search_summary_in_words(state.search);
    for (const Json& each : under_way(state))
      text += fmt::format(
          "  {} attempt {} sample {}: {}\n", printable(each["problem"].get<std::string>(), false),
          each["attempt"].get<int>(), each["sample"].get<int>(),
          each["at"] == "asked" ? "asked, no answer yet" : "answered, being judged");
  }
  text += fmt::format("{}: {}\n", format_count(state.attempts, "attempt"), state.verdicts);
  text += state.is_at_work ? "a process is at work on it\n" : "no process is at work on it\n";
  return text;
}

}  // namespace

Result<int> watch_command(const Arguments& arguments, Output& output) {
  const std::string folder = absolute_path(arguments.positional("RUN").front());
  const bool as_json = arguments.given("--json");
  const bool redraws = output.is_terminal() && !as_json;
  std::string shown, mark;
  size_t lines = 0;
  while (true) {
    // Before it is read: what comes meanwhile is seen the next time.
    const std::string now =
        RunStore::change_mark(folder) + (RunStore::is_at_work(folder) ? "at work" : "");
    if (now == mark) {
      std::this_thread::sleep_for(kLookEvery);
      continue;
    }
    mark = now;
    ASSAY_ASSIGN(State state, look_at(folder));
    const std::string text = as_json ? dump_json(json_of(state)) + "\n" : text_of(state);
    if (text != shown) {
      if (redraws && lines > 0)
        output.write(fmt::format("\x1b[{}A\x1b[J", lines));
      else if (!as_json && !shown.empty())
        output.write("\n");
      output.write(text);
      lines = static_cast<size_t>(std::ranges::count(text, '\n'));
      shown = text;
    }
    if (!state.is_at_work || arguments.given("--once")) return 0;
  }
}

}  // namespace assay

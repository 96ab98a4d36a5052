// `assay watch`: how a run stands, from its folder alone, while another process works on it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>

#include "base/escape.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/watch_page.h"
#include "report/search_now.h"
#include "report/search_results.h"
#include "report/summary.h"
#include "store/run_now.h"
#include "store/run_store.h"

namespace assay {
namespace {

constexpr auto kLookEvery = std::chrono::milliseconds(500);
constexpr int64_t kSecond = 1'000'000'000;

// Where a run stands at one moment.
struct State {
  bool is_at_work = false;  // a process of assay's holds the folder
  size_t attempts = 0;
  std::string verdicts;  // "3 accepted, 1 rejected"
  SearchRecord search;
  std::optional<RunNow> now;  // while one is at work
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
  state.search.is_at_work = state.is_at_work;
  if (state.is_at_work) state.now = read_now(system_disk(), folder);
  return state;
}

// What of a search is asked for, or judged.
Json under_way(const State& state) {
  Json list = Json::array();
  for (const Tree& tree : state.search.trees)
    for (const SearchNode& node : tree.nodes())
      if (!node.verdict && !(node.answer && has_not_come(*node.answer)))
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
  if (state.now) {
    json["now"] = to_json(*state.now);
    json["left_s"] = or_null(seconds_left(*state.now, std::time(nullptr)));
  }
  if (!state.search.is_there()) return json;
  json["search"] = search_summary_json(state.search);
  json["under_way"] = under_way(state);
  const int64_t at_s = std::time(nullptr);
  if (state.is_at_work) json["left_s"] = or_null(seconds_left(state.search, at_s));
  json["spend_left"] = spend_left_json(state.search, at_s);
  json["wall_ms"] = wall_ns_at(state.search, at_s) / 1'000'000;
  json["judge_idle_ms_while_answers_wait"] = state.search.judge_idle_ns / 1'000'000;
  return json;
}

// ", about 3 min left: compile softmax.py, verify suite/level1/local/sum/mine".
std::string now_in_words(const RunNow& now, const SearchRecord& search) {
  std::string words;
  const int64_t at_s = std::time(nullptr);
  const auto left = search.is_there() ? seconds_left(search, at_s) : seconds_left(now, at_s);
  if (left && *left > 0) words = fmt::format(", about {} left", format_duration(*left * kSecond));
  for (size_t i = 0; i < now.under_way.size(); ++i) {
    const std::string& what = now.under_way[i].what;
    const bool is_path = what.starts_with('/');
    words +=
        fmt::format("{} {} {}", i == 0 ? ":" : ",", to_word(kStageWords, now.under_way[i].stage),
                    printable(is_path ? what.substr(what.rfind('/') + 1) : what, false));
  }
  if (now.waits) words += "; it waits for another assay, which times";
  return words;
}

std::string text_of(const State& state) {
  std::string text;
  if (state.search.is_there()) {
    text = search_summary_in_words(state.search);
    for (const Json& each : under_way(state))
      text += fmt::format(
          "  {} attempt {} sample {}: {}\n", printable(each["problem"].get<std::string>(), false),
          each["attempt"].get<int>(), each["sample"].get<int>(),
          each["at"] == "asked" ? "asked, no answer yet" : "answered, not judged yet");
  }
  text += fmt::format("{}: {}\n", format_count(state.attempts, "attempt"), state.verdicts);
  text += state.is_at_work ? "a process is at work on it" : "no process is at work on it";
  if (state.now) text += now_in_words(*state.now, state.search);
  if (state.search.is_there()) text += spend_left_in_words(state.search, std::time(nullptr));
  text += "\n";
  return text;
}

// What a terminal of this size can show, and so can be drawn anew: what has scrolled away cannot
// be. The end stays, which says what is at work. In bytes: a name in other letters is cut early.
std::string fitting(std::string_view text, size_t rows, size_t columns) {
  std::vector<std::string> lines;
  for (const std::string_view line : lines_of(text)) lines.emplace_back(line);
  if (lines.size() >= rows) {
    const size_t left_out = lines.size() - (rows - 2);
    lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(left_out));
    lines.insert(lines.begin(), fmt::format("... {} above", format_count(left_out, "line")));
  }
  for (std::string& line : lines)
    if (line.size() >= columns) line = utf8(line.substr(0, columns - 4)) + "...";
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

}  // namespace

Result<int> watch_command(const Arguments& arguments, Output& output) {
  const std::string folder = absolute_path(arguments.positional("RUN").front());
  const bool as_json = arguments.given("--json");
  if (arguments.given("--port")) {
    if (as_json || arguments.given("--once"))
      return error(Code::invalid_input,
                   "--port is for a browser, --once and --json are for a terminal",
                   "leave out one of them");
    ASSAY_TRY(RunStore::open_to_read(system_disk(), folder));
    return serve_page(folder, arguments.text("--host"), arguments.text("--port"), output);
  }
  if (arguments.typed("--host"))
    return error(Code::invalid_input, "--host is where a page is served", "name a --port, too");
  const bool redraws = output.is_terminal() && !as_json;
  std::string shown, mark;
  size_t lines = 0;
  while (true) {
    // Before it is read: what comes meanwhile is seen the next time.
    const std::string now = RunStore::change_mark(folder);
    if (now == mark) {
      std::this_thread::sleep_for(kLookEvery);
      continue;
    }
    mark = now;
    ASSAY_ASSIGN(State state, look_at(folder));
    std::string text = as_json ? dump_json(json_of(state)) + "\n" : text_of(state);
    // The last is there to be read, whole.
    if (redraws && state.is_at_work && !arguments.given("--once"))
      text = fitting(text, output.lines(), output.columns());
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

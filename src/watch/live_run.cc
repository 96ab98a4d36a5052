#include "watch/live_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <span>
#include <unordered_set>

#include "base/clock.h"
#include "base/disk.h"
#include "report/html.h"
#include "report/search_now.h"
#include "report/search_results.h"
#include "report/summary.h"
#include "report/table.h"
#include "store/run_now.h"
#include "store/run_store.h"
#include "watch/stored_run.h"

namespace assay {
namespace {

constexpr auto kLookEvery = std::chrono::milliseconds(500);
constexpr int kShareOfTime = 20;
constexpr size_t kMostSourceBytes = 4 << 20;  // of one attempt

std::string event(std::string_view name, const Seen& seen, const Json& data) {
  return fmt::format("id: {}\nevent: {}\ndata: {}\n\n", to_text(seen), name, dump_json(data));
}

// Another text, another row.
std::string row_mark(const Attempt& attempt) {
  const auto said = attempt.timing ? outcome(attempt) : std::nullopt;
  const bool is_timed = attempt.timing && !attempt.timing->speedups.empty();
  return fmt::format("{} {} {} {} {}", attempt.finished, attempt.fingerprint,
                     to_word(kVerdictWords, attempt.verdict),
                     said ? to_word(kOutcomeWords, *said) : "",
                     is_timed ? attempt.timing->speedups.front().ratio : 0);
}

Json state_of(const SearchRecord& search, const std::optional<RunNow>& now, size_t attempts,
              bool is_at_work) {
  Json state{{"at_work", is_at_work}};
  Json under_way = Json::array();
  if (now && is_at_work)
    for (const RunNow::At& each : now->under_way)
      under_way.push_back({{"what", terminal_text(each.what)},
                           {"stage", to_word(kStageWords, each.stage)},
                           {"since_s", each.since_s}});
  if (is_at_work)
    for (const Tree& tree : search.trees)
      for (const SearchNode& node : tree.nodes())
        if (!node.verdict && !node.answer)
          under_way.push_back({{"what", terminal_text(tree.problem())}, {"stage", "asked"}});
  state["under_way"] = std::move(under_way);
  state["waits"] = now && is_at_work && now->waits;
  state["planned"] = Json();
  state["left_s"] = Json();
  state["left_s_at_most"] = Json();
  if (search.is_there()) {
    size_t ended = 0;
    for (const Tree& tree : search.trees)
      ended += status_of(tree, search.terms) == SearchStatus::success;
    state["searches"] = {{"all", search.trees.size()}, {"reached", ended}};
    state["spend_left"] = spend_left_json(search, std::time(nullptr));
  }
  if (now && now->at_most > 0 && is_at_work)
    state["left_s_at_most"] = or_null(seconds_left_at_most(*now, attempts, std::time(nullptr)));
  if (now && now->planned > 0) {
    state["planned"] = now->planned;
    if (is_at_work) state["left_s"] = or_null(seconds_left(*now, std::time(nullptr)));
  }
  if (!search.is_there() || !is_at_work) return state;
  if (const auto left = seconds_left(search, std::time(nullptr))) state["left_s_at_most"] = *left;
  return state;
}

}  // namespace

struct LiveRun::Fresh {
  ReportInput input;
  Json state;
};

Result<LiveRun::Fresh> LiveRun::read() {
  // First: a run that ends meanwhile has stored everything that is read below.
  const bool is_at_work = RunStore::is_at_work(folder_);
  ASSAY_ASSIGN(RunStore store, RunStore::open_to_read(system_disk(), folder_));
  ASSAY_ASSIGN(auto attempts, store.attempts(false));
  ASSAY_ASSIGN(SearchRecord search, store.search().record());
  search.is_at_work = is_at_work;
  Fresh fresh{{folder_, store.record(), std::move(attempts)}, {}};
  fresh.input.resolution = resolution_of_this_machine();
  fresh.input.error_rates = page_error_rates();
  fresh.state =
      state_of(search, read_now(system_disk(), folder_), fresh.input.attempts.size(), is_at_work);
  fresh.input.search = std::move(search);
  return fresh;
}

void LiveRun::look() {
  const int64_t begin_ns = now_ns();
  std::string mark = RunStore::change_mark(folder_);
  if (mark == mark_) return;
  auto fresh = read();
  if (fresh) {
    take(*std::move(fresh));
  } else {
    // It may have just begun, or its folder may have gone and come back.
    std::lock_guard lock(mutex_);
    Json state{{"at_work", false}, {"problem", terminal_text(fresh.error().describe())}};
    if (state == state_) return;
    state_ = std::move(state);
    state_version_ = ++version_;
    made_.clear();
    changed_.notify_all();
    return;
  }
  mark_ = std::move(mark);
  look_ns_ = now_ns() - begin_ns;
}

std::chrono::milliseconds LiveRun::pause() const {
  return std::max(kLookEvery, std::chrono::milliseconds(kShareOfTime * look_ns_ / 1'000'000));
}

void LiveRun::take(Fresh fresh) {
  std::lock_guard lock(mutex_);
  settings_ = fresh.input.run.settings;
  const uint64_t now = version_ + 1;
  if (has_lost_some(fresh.input.attempts)) {
    attempts_.clear();
    versions_.clear();
    places_.clear();
    whole_version_ = now;
  }
  // Answers come and go without an attempt.
  bool is_new = head_.is_null() || fresh.input.search.is_there();
  for (Attempt& each : fresh.input.attempts) {
    auto [found, is_added] = places_.emplace(each.id, attempts_.size());
    const size_t at = found->second;
    if (is_added) {
      attempts_.emplace_back();
      versions_.emplace_back();
    } else if (row_mark(attempts_[at]) == row_mark(each)) {
      continue;
    }
    attempts_[at] = std::move(each);
    versions_[at] = now;
    is_new = true;
  }
  if (is_new || whole_version_ == now) {
    // Causes name attempts by their places.
    fresh.input.attempts = std::move(attempts_);
    head_ = page_head(fresh.input);
    attempts_ = std::move(fresh.input.attempts);
    head_version_ = now;
  }
  if (fresh.state != state_) {
    state_ = std::move(fresh.state);
    state_version_ = now;
  }
  if (head_version_ == now || state_version_ == now) version_ = now;
  made_.clear();
  changed_.notify_all();
}

// Its folder was made anew, say.
bool LiveRun::has_lost_some(const std::vector<Attempt>& attempts) const {
  std::unordered_set<std::string_view> there;
  for (const Attempt& each : attempts) there.insert(each.id);
  return std::ranges::any_of(attempts_,
                             [&](const Attempt& each) { return !there.contains(each.id); });
}

std::string LiveRun::events_since(uint64_t version) const {
  const Seen seen{server_, version_};
  std::string text;
  if (head_version_ > version) {
    std::vector<Attempt> some;
    Json rows = Json::array();
    for (size_t i = 0; i < attempts_.size(); ++i)
      if (versions_[i] > version) {
        some.push_back(attempts_[i]);
        rows.push_back(i);
      }
    text += event("attempts", seen,
                  {{"whole", version < whole_version_},
                   {"head", head_},
                   {"at", std::move(rows)},
                   {"columns", page_columns(settings_, some)}});
  }
  if (state_version_ > version) text += event("state", seen, state_);
  return text;
}

std::string LiveRun::next(Seen& seen, std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  // Of another server, or of one before a beginning: all of it.
  if (seen.server != server_ || seen.version > version_) seen = {server_, 0};
  changed_.wait_for(lock, most, [&] { return has_ended_ || version_ > seen.version; });
  if (version_ <= seen.version) return "";
  auto& made = made_[seen.version];
  if (!made) made = std::make_shared<const std::string>(events_since(seen.version));
  seen.version = version_;
  const auto text = made;
  lock.unlock();
  return *text;
}

void LiveRun::end() {
  std::lock_guard lock(mutex_);
  has_ended_ = true;
  changed_.notify_all();
}

bool LiveRun::has_ended() const {
  std::lock_guard lock(mutex_);
  return has_ended_;
}

Result<std::optional<std::string>> LiveRun::details(const std::string& id) const {
  ASSAY_ASSIGN(RunStore store, RunStore::open_to_read(system_disk(), folder_));
  ASSAY_ASSIGN(auto attempt, store.find(id));
  if (!attempt) return std::optional<std::string>();
  ReportInput input{folder_, store.record(), {}};
  StoredRun reader(store);
  input.reader = &reader;
  input.embed = Embed::all;
  ASSAY_ASSIGN(input.search, store.search().record());
  PageDetails details(input, kMostSourceBytes);
  std::string text;
  ASSAY_TRY(details.append(text, *attempt));
  return std::optional(std::move(text));
}

}  // namespace assay

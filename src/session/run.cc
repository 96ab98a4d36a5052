#include "session/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/hash.h"
#include "session/keys.h"
#include "session/store_sink.h"

namespace assay {
namespace {

using Known = std::map<std::string, RunStore::Known>;

// What a run's folder holds of the plan's attempts is what these are: whatever has the id of
// another would silently take its place, and what is there under another id would count twice.
class SameAttempts {
 public:
  SameAttempts(const Request& request, const Disk& disk, const Known& known)
      : request_(request), disk_(disk), known_(known) {
    for (const auto& [id, each] : known) ids_[{each.path, behind_level(id)}] = id;
  }

  Status check(const Planned& planned) const {
    const Attempt& attempt = planned.attempt;
    const auto found = known_.find(attempt.id);
    if (found == known_.end()) return is_there_under_no_other_id(attempt);
    if (found->second.path != attempt.path)
      return differs(attempt.id, found->second.path, attempt.path);
    if (!is_same_author(planned, found->second))
      return differs(attempt.id, found->second.author, attempt.origin.author);
    return {};
  }

 private:
  // "local/softmax/mine__s2": all that does not come of how the problem's path was written.
  static std::string behind_level(const std::string& id) {
    const size_t suite = id.find('/');
    return suite == std::string::npos ? "" : id.substr(id.find('/', suite + 1) + 1);
  }

  static Status differs(const std::string& id, const std::string& then, const std::string& now) {
    return error(Code::refused,
                 fmt::format("'{}' in this run is '{}', and now it would be '{}'", id, then, now),
                 "name another folder with --out, or replace it with --force");
  }

  // What has moved is the same as long as it reads the same.
  bool is_same_author(const Planned& planned, const RunStore::Known& known) const {
    const auto author = std::ranges::find(request_.authors, planned.attempt.author, &Author::name);
    if (known.author.empty() || is_of(*author, known.author)) return true;
    return !known.candidate_sha256.empty() &&
           candidate_subject(disk_, planned).hash == known.candidate_sha256;
  }

  Status is_there_under_no_other_id(const Attempt& attempt) const {
    const auto other = ids_.find({attempt.path, behind_level(attempt.id)});
    if (other == ids_.end()) return {};
    return error(Code::refused,
                 fmt::format("'{}' is '{}' in this run, and now it would be '{}', too",
                             attempt.path, other->second, attempt.id),
                 "name the suite's folder as it was named then, or another folder with --out");
  }

  const Request& request_;
  const Disk& disk_;
  const Known& known_;
  std::map<std::pair<std::string, std::string>, std::string> ids_;  // by path and end of the id
};

// Those of attempts that are in the folder already, too: whoever wins is one of as many.
void count_comparisons(Plan& plan, const Known& known) {
  std::map<std::string, size_t> all;
  for (const auto& [id, each] : known) all[id] = each.comparisons;
  for (const Lane& lane : plan.lanes)
    for (const Planned& each : lane.planned) all[each.attempt.id] = each.baselines.size();
  size_t comparisons = 0;
  for (const auto& [id, count] : all) comparisons += count;
  for (Lane& lane : plan.lanes)
    for (Planned& each : lane.planned) each.comparisons = comparisons;
}

// Tells of those that the store holds.
Status tell_reused(RunStore& store, const std::set<std::string>& ids, Events& events) {
  if (ids.empty()) return {};
  ASSAY_ASSIGN(auto attempts, store.attempts(false));
  for (const Attempt& attempt : attempts)
    if (ids.contains(attempt.id)) events.reused(attempt);
  return {};
}

// Takes those out of the plan that the store holds, made from the same of everything. Those of
// which only the times are missing keep what they were accepted by.
Status leave_out_what_is_known(Plan& plan, const Request& request, const Tools& tools,
                               RunStore& store, const StoreSink& sink, World& world) {
  ASSAY_ASSIGN(auto known, store.known());
  size_t verified = 0;
  std::set<std::string> reused;
  count_comparisons(plan, known);
  const SameAttempts same(request, world.disk, known);
  for (Lane& lane : plan.lanes) {
    if (request.force || request.settings.replay || known.empty()) break;
    auto loaded = load_workload(world.disk, lane.workload);
    if (!loaded) continue;
    for (const Planned& planned : lane.planned) ASSAY_TRY(same.check(planned));
    ExportSubject subject{lane.workload.path, hash_of(*loaded), lane.precision, lane.route};
    for (Planned& planned : lane.planned) {
      const std::string& id = planned.attempt.id;
      auto found = known.find(id);
      if (found == known.end()) continue;
      const Left left = left_to_do(found->second.verdict, found->second.fingerprint,
                                   fingerprint(subject, candidate_subject(world.disk, planned),
                                               *planned.target, request.settings, tools));
      if (left == Left::nothing && sink.has_files(id, found->second.artifacts)) reused.insert(id);
      if (left != Left::timing) continue;
      ASSAY_ASSIGN(auto stored, store.find(id));
      if (!stored) continue;
      planned.before = std::make_shared<const Attempt>(std::move(*stored));
      ++verified;
    }
    std::erase_if(lane.planned,
                  [&](const Planned& planned) { return reused.contains(planned.attempt.id); });
  }
  std::erase_if(plan.lanes, [](const Lane& lane) { return lane.planned.empty(); });
  world.events.planned(plan.attempts, reused.size(), verified, plan.not_applicable);
  return tell_reused(store, reused, world.events);
}

// A plan's lanes, in their order.
class PlanFeed final : public Feed {
 public:
  explicit PlanFeed(std::vector<Lane> lanes) : lanes_(std::move(lanes)) {}

  Result<std::optional<Lane>> next() override {
    if (has_ended()) return std::optional<Lane>{};
    return std::optional(std::move(lanes_[next_++]));
  }
  bool has_ended() const override { return next_ == lanes_.size(); }
  size_t to_come() const override { return lanes_.size() - next_; }

 private:
  std::vector<Lane> lanes_;
  size_t next_ = 0;
};

}  // namespace

Status run_plan(const Request& request, const Tools& tools, Plan plan, RunStore& store,
                World world) {
  StoreSink sink(world.disk, world.cache, store, world.events, request.settings.trace);
  ASSAY_TRY(leave_out_what_is_known(plan, request, tools, store, sink, world));
  PlanFeed feed(std::move(plan.lanes));
  const SessionSetting setting{
      .jobs = static_cast<size_t>(request.jobs),
      .cores = static_cast<size_t>(request.cores),
      .tracks_memory = request.settings.track_memory,
      .force = request.force,
      .go_on = "the same command goes on from here: what was finished is kept",
      .folder = store.folder()};
  return run_session(feed, sink, setting, tools, world);
}

}  // namespace assay

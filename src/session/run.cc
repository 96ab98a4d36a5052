#include "session/run.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/hash.h"
#include "session/keys.h"
#include "session/store_sink.h"

namespace assay {
namespace {

// A suite of the same name from elsewhere would silently take the place of the first.
Status same_problem(const Lane& lane, const std::map<std::string, RunStore::Known>& known) {
  for (const Planned& planned : lane.planned) {
    auto found = known.find(planned.attempt.id);
    if (found != known.end() && found->second.path != planned.attempt.path)
      return error(Code::refused,
                   fmt::format("'{}' in this run is '{}', and now it would be '{}'",
                               planned.attempt.id, found->second.path, planned.attempt.path),
                   "name another folder with --out, or replace it with --force");
  }
  return {};
}

// Those of attempts that are in the folder already, too: whoever wins is one of as many.
void count_comparisons(Plan& plan, const std::map<std::string, RunStore::Known>& known) {
  std::map<std::string, size_t> all;
  for (const auto& [id, each] : known) all[id] = each.comparisons;
  for (const Lane& lane : plan.lanes)
    for (const Planned& each : lane.planned) all[each.attempt.id] = each.baselines.size();
  size_t comparisons = 0;
  for (const auto& [id, count] : all) comparisons += count;
  for (Lane& lane : plan.lanes)
    for (Planned& each : lane.planned) each.comparisons = comparisons;
}

// Takes those out of the plan that the store holds, made from the same of everything; except those
// that could not be judged: perhaps they can be now.
Status leave_out_what_is_known(Plan& plan, const Request& request, const Tools& tools,
                               RunStore& store, const StoreSink& sink, World& world) {
  ASSAY_ASSIGN(auto known, store.known());
  const size_t before = plan.attempts;
  count_comparisons(plan, known);
  for (Lane& lane : plan.lanes) {
    if (request.force || request.settings.replay || known.empty()) break;
    auto loaded = load_workload(world.disk, lane.workload);
    if (!loaded) continue;
    ASSAY_TRY(same_problem(lane, known));
    ExportSubject subject{lane.workload.path, sha256(loaded->python), lane.precision};
    std::erase_if(lane.planned, [&](const Planned& planned) {
      auto found = known.find(planned.attempt.id);
      return found != known.end() && found->second.verdict != Verdict::not_judged &&
             found->second.fingerprint == fingerprint(subject,
                                                      candidate_subject(world.disk, planned),
                                                      *planned.target, request.settings, tools) &&
             sink.has_files(planned.attempt.id, found->second.artifacts);
    });
  }
  std::erase_if(plan.lanes, [](const Lane& lane) { return lane.planned.empty(); });
  size_t left = 0;
  for (const Lane& lane : plan.lanes) left += lane.planned.size();
  world.events.planned(before, before - left, plan.not_applicable);
  return {};
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
  StoreSink sink(world.disk, world.cache, store, world.events);
  ASSAY_TRY(leave_out_what_is_known(plan, request, tools, store, sink, world));
  PlanFeed feed(std::move(plan.lanes));
  const SessionSetting setting{
      .jobs = static_cast<size_t>(request.jobs),
      .cores = static_cast<size_t>(request.cores),
      .force = request.force,
      .go_on = "the same command goes on from here: what was finished is kept"};
  return run_session(feed, sink, setting, tools, world);
}

}  // namespace assay

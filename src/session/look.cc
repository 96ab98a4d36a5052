#include "session/look.h"

#include <map>
#include <memory>
#include <utility>

namespace assay {
namespace {

class LookFeed final : public Feed {
 public:
  LookFeed(std::span<const Workload> workloads, const RunSettings& settings)
      : workloads_(workloads), terms_(std::make_shared<Terms>(Terms{settings})) {}

  Result<std::optional<Lane>> next() override {
    if (has_ended()) return std::optional<Lane>{};
    const Workload& workload = workloads_[next_++];
    Lane lane{.workload = workload,
              .precision =
                  workload.precision.value_or(terms_->settings.precision.value_or(Precision::f32)),
              .terms = terms_,
              .is_look = true};
    lane.planned.emplace_back().attempt.path = workload.path;
    return std::optional(std::move(lane));
  }
  bool has_ended() const override { return next_ == workloads_.size(); }
  size_t to_come() const override { return workloads_.size() - next_; }

 private:
  std::span<const Workload> workloads_;
  std::shared_ptr<const Terms> terms_;
  size_t next_ = 0;
};

// Tells in the order of the workloads, whichever is known first.
class LookSink final : public Sink {
 public:
  LookSink(std::span<const Workload> workloads,
           const std::function<void(const Workload&, const Lint&)>& tell)
      : workloads_(workloads), tell_(tell) {}

  Status take(Finished& finished) override {
    known_.emplace(finished.attempt.path, std::move(*finished.look));
    while (told_ < workloads_.size()) {
      auto found = known_.find(workloads_[told_].path);
      if (found == known_.end()) break;
      tell_(workloads_[told_++], found->second);
      known_.erase(found);
    }
    return {};
  }
  bool keeps() const override { return false; }

 private:
  std::span<const Workload> workloads_;
  const std::function<void(const Workload&, const Lint&)>& tell_;
  std::map<std::string, Lint> known_;  // by path: those of a command are all different
  size_t told_ = 0;
};

}  // namespace

Status look_at(std::span<const Workload> workloads, const RunSettings& settings, size_t jobs,
               const Tools& tools, World world,
               const std::function<void(const Workload&, const Lint&)>& tell) {
  LookFeed feed(workloads, settings);
  LookSink sink(workloads, tell);
  return run_session(feed, sink, {.jobs = jobs}, tools, world);
}

}  // namespace assay

#include "session/now_events.h"

#include <ctime>
#include <utility>

namespace assay {
namespace {

int64_t unix_seconds() { return static_cast<int64_t>(std::time(nullptr)); }

}  // namespace

NowEvents::NowEvents(Disk& disk, std::string folder, const Clock& clock, Events& others)
    : disk_(disk), folder_(std::move(folder)), clock_(clock), others_(others) {
  now_.begun_s = unix_seconds();
  keep_now();
}

NowEvents::~NowEvents() {
  now_.under_way.clear();
  now_.waits = false;
  keep_now();
}

void NowEvents::may_come_to(size_t attempts) {
  now_.at_most = attempts;
  keep_now();
}

void NowEvents::planned(size_t attempts, size_t reused, size_t verified,
                        const std::vector<std::string>& not_applicable) {
  now_.planned = attempts;
  now_.reused = reused;
  keep_now();
  others_.planned(attempts, reused, verified, not_applicable);
}

void NowEvents::started(const std::string& path, Stage stage, size_t targets) {
  others_.started(path, stage, targets);
}

void NowEvents::under_way(const std::vector<UnderWay>& all) {
  const int64_t now_s = unix_seconds();
  now_.under_way.clear();
  for (const UnderWay& each : all)
    now_.under_way.push_back(
        {each.what, each.stage, now_s - (clock_.now_ns() - each.since_ns) / 1'000'000'000});
  now_.waits = false;
  keep_now();
  others_.under_way(all);
}

void NowEvents::waiting() {
  now_.waits = true;
  keep_now();
  others_.waiting();
}

void NowEvents::finished(const Attempt& attempt) {
  ++now_.finished;
  keep_now();
  others_.finished(attempt);
}

// A run does not fail because nobody can watch it.
void NowEvents::keep_now() {
  now_.changed_s = unix_seconds();
  (void)write_now(disk_, folder_, now_);
}

}  // namespace assay

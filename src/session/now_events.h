// Keeps what a run is doing in its folder, for who watches it, and passes every event on.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/disk.h"
#include "session/events.h"

namespace assay {

class NowEvents final : public Events {
 public:
  NowEvents(Disk& disk, std::string folder, const Clock& clock, Events& others);
  // Nothing is under way any more.
  ~NowEvents() override;

  // Of a search: it comes to no more than so many attempts.
  void may_come_to(size_t attempts);
  void planned(size_t attempts, size_t reused, size_t verified,
               const std::vector<std::string>& not_applicable) override;
  void reused(const Attempt& attempt) override { others_.reused(attempt); }
  void started(const std::string& path, Stage stage, size_t targets) override;
  void under_way(const std::vector<UnderWay>& all) override;
  void waiting() override;
  void finished(const Attempt& attempt) override;

 private:
  void keep_now();

  Disk& disk_;
  std::string folder_;
  const Clock& clock_;
  Events& others_;
  RunNow now_;
};

}  // namespace assay

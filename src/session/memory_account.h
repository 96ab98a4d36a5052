#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <optional>

#include "base/clock.h"
#include "session/admission.h"
#include "verify/memory_gate.h"

namespace assay {

// Lets verifications in as far as the machine's memory goes, in the order in which they ask: who
// wants much is not overtaken for ever by those who want little.
//
// Two measures, and both must hold. What all were granted fits into what was free before the first
// of them, whether they have taken it yet or not; and what is free now holds what is asked for,
// beside what the youngest were granted and may not have taken yet.
class MemoryAccount final : public MemoryGate {
 public:
  // `wake` has the session's thread call serve() soon.
  MemoryAccount(const MemoryGauge& gauge, const Clock& clock, std::function<void()> wake);

  // Of a verification's thread.
  Result<uint64_t> enter(uint64_t bytes) override;
  void leave(uint64_t bytes) override;

  // Of the session's thread: lets in who can be, and turns away who never can. `others_at_work`:
  // children of ours that are no verification's will give memory back.
  void serve(bool others_at_work);
  // Then nothing else is to be started: it would take what is waited for.
  bool somebody_waits() const { return waiting() > 0; }
  size_t waiting() const;
  // From now on all who ask, and who wait, fail.
  void interrupt();

  static constexpr int64_t kYoungNs = 10'000'000'000;
  // How long it is waited for what is not ours to give back.
  static constexpr int64_t kPatienceNs = 60'000'000'000;

 private:
  struct Asked {
    uint64_t bytes = 0;
    int64_t since_ns = 0;
    std::optional<uint64_t> answer;
  };
  struct Granted {
    uint64_t bytes = 0;
    int64_t since_ns = 0;
  };
  std::optional<uint64_t> answer(const Asked& asked, bool others_at_work, int64_t now_ns) const;
  uint64_t granted_bytes(int64_t since_ns) const;

  const MemoryGauge& gauge_;
  const Clock& clock_;
  std::function<void()> wake_;
  const uint64_t reserve_bytes_;
  const uint64_t free_at_first_;  // before any of ours took anything

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Asked*> waiting_;
  std::list<Granted> granted_;
  bool interrupted_ = false;
};

}  // namespace assay

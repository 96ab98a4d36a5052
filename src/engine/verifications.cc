#include "engine/verifications.h"

#include <utility>

namespace assay {

void Verifications::start(Task task, VerifyJob job, const VerifyTools& tools) {
  auto& running = *running_.emplace_back(std::make_unique<Running>());
  running.task = std::move(task);
  running.thread = std::thread([this, &running, &tools, job = std::move(job)] {
    Result<Verified> verified = verify(job, tools, switchboard_, memory_);
    std::lock_guard lock(running.mutex);
    running.verified = std::move(verified);
    spawner_.wake();
  });
}

std::vector<Verifications::Ended> Verifications::take_ended() {
  std::vector<Ended> ended;
  std::erase_if(running_, [&](const std::unique_ptr<Running>& running) {
    {
      std::lock_guard lock(running->mutex);
      if (!running->verified) return false;
    }
    running->thread.join();
    ended.push_back({std::move(running->task), std::move(*running->verified)});
    return true;
  });
  return ended;
}

void Verifications::end_all() {
  switchboard_.interrupt();
  memory_.interrupt();
  for (auto& running : running_) running->thread.join();
  running_.clear();
}

}  // namespace assay

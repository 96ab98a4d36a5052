#pragma once

#include <csignal>

#include "base/status.h"

namespace assay {

// What ends assay from outside, but for what was ignored when it was started (nohup, a shell's
// background jobs): that stays so.
inline sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction inherited{};
    ::sigaction(number, nullptr, &inherited);
    if (inherited.sa_handler != SIG_IGN) sigaddset(&signals, number);
  }
  return signals;
}

// Holds them back in this thread while it lives, for who has something to clear away first: a
// program that runs is ended by them all the same (Machine::run).
class InterruptionsHeld {
 public:
  InterruptionsHeld() { ::pthread_sigmask(SIG_BLOCK, &signals_, &before_); }
  ~InterruptionsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  InterruptionsHeld(const InterruptionsHeld&) = delete;
  InterruptionsHeld& operator=(const InterruptionsHeld&) = delete;

  // Fails as Code::interrupted once one has come.
  Status status() const {
    sigset_t waiting;
    ::sigpending(&waiting);
    for (const int number : {SIGINT, SIGTERM, SIGHUP})
      if (sigismember(&signals_, number) == 1 && sigismember(&waiting, number) == 1)
        return error(Code::interrupted, "interrupted");
    return {};
  }
  const sigset_t& signals() const { return signals_; }

 private:
  sigset_t signals_ = ending_signals();
  sigset_t before_{};
};

}  // namespace assay

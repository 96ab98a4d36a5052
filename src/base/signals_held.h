#pragma once

#include <csignal>

namespace assay {

// Signals of this thread wait while it lives. Threads that a library starts meanwhile never get
// any: one that does would be ended by Ctrl-C, and all of assay with it, before anybody is asked.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace assay

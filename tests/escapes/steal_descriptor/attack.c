#include "../attack.h"

int main(void) {
  take_job();
  int pidfd = (int)syscall(SYS_pidfd_open, (pid_t)job_number("judge"), 0);
  outcome(pidfd >= 0 && syscall(SYS_pidfd_getfd, pidfd, 0, 0) >= 0, "take a descriptor");
}

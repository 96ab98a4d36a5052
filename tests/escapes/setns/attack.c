#include "../attack.h"

int main(void) {
  take_job();
  int pidfd = (int)syscall(SYS_pidfd_open, (pid_t)job_number("judge"), 0);
  if (pidfd < 0) outcome(0, "open the judge");
  outcome(syscall(SYS_setns, pidfd, CLONE_NEWUTS) == 0, "enter the namespaces of the judge");
}

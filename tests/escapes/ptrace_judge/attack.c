#include "../attack.h"

#include <sys/ptrace.h>

int main(void) {
  take_job();
  pid_t judge = (pid_t)job_number("judge");
  long worked = ptrace(PTRACE_SEIZE, judge, 0, 0);
  int number = errno;
  if (worked == 0) ptrace(PTRACE_DETACH, judge, 0, 0);
  errno = number;
  outcome(worked == 0, "trace the judge");
}

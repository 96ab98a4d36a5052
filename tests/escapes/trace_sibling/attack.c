#include "../attack.h"

#include <sys/ptrace.h>

int main(void) {
  take_job();
  pid_t child = fork();
  if (child == 0)
    while (1) pause();
  long worked = ptrace(PTRACE_SEIZE, child, 0, 0);
  int number = errno;
  kill(child, SIGKILL);
  errno = number;
  outcome(worked == 0, "trace a sibling");
}

#include "../attack.h"

#include <sys/resource.h>

int main(void) {
  take_job();
  struct rlimit limit;
  if (prlimit((pid_t)job_number("judge"), RLIMIT_CORE, NULL, &limit) != 0) outcome(0, "read a limit");
  outcome(prlimit((pid_t)job_number("judge"), RLIMIT_CORE, &limit, NULL) == 0, "set a limit of the judge");
}

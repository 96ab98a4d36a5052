#include "../attack.h"

int main(void) {
  take_job();
  cpu_set_t all;
  CPU_ZERO(&all);
  CPU_SET((int)job_number("other_cpu"), &all);
  outcome(sched_setaffinity(0, sizeof all, &all) == 0, "move to another CPU");
}

#include "../attack.h"

#include <sys/resource.h>

int main(void) {
  take_job();
  if (setpriority(PRIO_PROCESS, 0, -5) == 0) escaped("be less nice");
  struct sched_param parameters = {1};
  if (sched_setscheduler(0, SCHED_FIFO, &parameters) == 0) escaped("be a real-time process");
  parameters.sched_priority = 0;
  outcome(sched_setscheduler(0, SCHED_BATCH, &parameters) == 0, "choose its scheduler");
}

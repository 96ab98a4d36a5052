#include "../attack.h"

int main(void) {
  take_job();
  // One that does nothing by default.
  outcome(kill((pid_t)job_number("judge"), SIGURG) == 0, "signal the judge");
}

#include "../attack.h"

int main(void) {
  take_job();
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/mem", job_number("judge"));
  outcome(open(path, O_RDONLY) >= 0, "open the memory of the judge");
}

#include "../attack.h"

int main(void) {
  take_job();
  int count = 0;
  while (count < 200) {
    pid_t child = fork();
    if (child == 0)
      while (1) pause();
    if (child < 0) break;
    ++count;
  }
  outcome(count == 200, "have 200 processes");
}

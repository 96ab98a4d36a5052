#include "../attack.h"

static volatile uint64_t *counter;

// Counts for ever, in memory that the judge watches.
static void count(void) {
  while (1) ++counter[2];
}

int main(void) {
  take_job();
  counter = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, files[page], 0);
  for (int number = 1; number < 65; ++number) signal(number, SIG_IGN);
  if (fork() == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    answer(0, "ready", "");
    count();
  }
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  count();
}

#include "../attack.h"

static volatile uint64_t *counter;

// Counts for ever, in memory that the judge watches.
static void count(void) {
  while (1) ++counter[2];
}

int main(void) {
  take_job();
  counter = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, files[page], 0);
  int ends[2];
  if (pipe(ends) != 0) held("make a pipe");
  signal(SIGIO, SIG_IGN);  // which comes where another signal is refused
  // A process that is stopped is signalled when another end of the pipe moves; one that fills it
  // runs on until it is stopped, too.
  fcntl(ends[0], F_SETOWN, getpid());
  fcntl(ends[0], F_SETSIG, SIGCONT);
  fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
  if (fork() == 0)
    while (1) {
      char byte;
      if (write(ends[1], "x", 1) != 1 || read(ends[0], &byte, 1) != 1) usleep(1);
    }
  prctl(PR_SET_PDEATHSIG, SIGCONT);
  answer(0, "ready", "");
  count();
}

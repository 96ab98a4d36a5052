#include "../attack.h"

int main(void) {
  take_job();
  size_t bytes = (size_t)96 << 20;
  int ends[2];
  if (pipe(ends) != 0) held("make a pipe");
  for (int i = 0; i < 8; ++i)
    if (fork() == 0) {
      char *all = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (all == MAP_FAILED) _exit(1);
      for (size_t at = 0; at < bytes; at += 4096) all[at] = 1;
      if (write(ends[1], "1", 1) != 1) _exit(1);
      while (1) pause();
    }
  close(ends[1]);
  char done;
  int count = 0;
  alarm(5);
  signal(SIGALRM, SIG_IGN);
  for (; count < 8 && read(ends[0], &done, 1) == 1; ++count) {
    if (waitpid(-1, NULL, WNOHANG) > 0) break;
  }
  outcome(count == 8, "touch 8 times 96 MiB");
}

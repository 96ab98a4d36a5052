#include "../attack.h"

int main(void) {
  take_job();
  pid_t first = fork();
  if (first == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    for (int number = 1; number < 32; ++number) signal(number, SIG_IGN);
    usleep(100000);
    // Should it still be here when the judge has been told the end, the judge sees this.
    volatile unsigned *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, files[page], 0);
    usleep(700000);
    shared[9] = 1;
    _exit(0);
  }
  waitpid(first, NULL, 0);
  held("it is the judge who sees");
}

#include "../attack.h"

int main(void) {
  take_job();
  signal(SIGURG, SIG_IGN);
  // Without a namespace or landlock this reaches what the user owns; the judge counts.
  kill(-1, SIGURG);
  usleep(50000);
  outcome(((volatile unsigned *)mmap(NULL, 4096, PROT_READ, MAP_SHARED, files[page], 0))[8] != 0,
          "signal everybody");
}

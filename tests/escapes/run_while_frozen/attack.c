#include "../attack.h"

static volatile uint64_t *counter;

// Counts for ever, in memory that the judge watches.
static void count(void) {
  while (1) ++counter[2];
}

int main(void) {
  take_job();
  counter = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, files[page], 0);
  for (int i = 0; i < 3; ++i)
    if (fork() == 0) count();
  answer(0, "ready", "");
  count();
}

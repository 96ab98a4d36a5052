#include "../attack.h"

static volatile uint64_t *counter;

// Counts for ever, in memory that the judge watches.
static void count(void) {
  while (1) ++counter[2];
}

static void nothing(int number) { (void)number; }

int main(void) {
  take_job();
  counter = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, files[page], 0);
  signal(SIGCONT, nothing);  // a timer whose signal is ignored rests
  struct sigevent event = {0};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGCONT;
  struct itimerspec often = {{0, 1000000}, {0, 1000000}};
  timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) timer_settime(timer, 0, &often, NULL);
  answer(0, "ready", "");
  count();
}

#include "../attack.h"

#include <sys/timex.h>

int main(void) {
  take_job();
  // To what it is; a jail must refuse even that.
  struct timex nothing = {0};
  if (adjtimex(&nothing) < 0) outcome(0, "read the clock's state");
  nothing.modes = ADJ_TICK;
  outcome(adjtimex(&nothing) >= 0, "set the clock's tick");
}

#include "../attack.h"

#include <sys/personality.h>

int main(void) {
  take_job();
  outcome(personality(ADDR_NO_RANDOMIZE) >= 0, "change its personality");
}

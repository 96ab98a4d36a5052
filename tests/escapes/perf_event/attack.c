#include "../attack.h"

int main(void) {
  take_job();
  outcome(syscall(SYS_perf_event_open, (uint64_t[16]){1 | (uint64_t)112 << 32}, 0, -1, -1, 0) >= 0, "open a performance event");
}

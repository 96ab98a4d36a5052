#include "../attack.h"

int main(void) {
  take_job();
  outcome(syscall(SYS_io_uring_setup, 4, (char[256]){0}) >= 0, "set up io_uring");
}

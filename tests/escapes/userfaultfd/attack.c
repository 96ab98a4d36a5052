#include "../attack.h"

int main(void) {
  take_job();
  outcome(syscall(SYS_userfaultfd, 1 | O_CLOEXEC) >= 0, "make a userfaultfd");
}

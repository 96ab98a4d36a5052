#include "../attack.h"

int main(void) {
  take_job();
  outcome(syscall(463 + 3, -1, "", 0, "") >= 0 || errno != ENOSYS, "use a new call");
}

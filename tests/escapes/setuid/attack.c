#include "../attack.h"

int main(void) {
  take_job();
  if (setresuid(0, 0, 0) == 0 && geteuid() == 0 && setresgid(0, 0, 0) == 0) {
    // In a namespace of users that alone is nothing.
    if (chown("/proc/self/cwd", 1, 1) == 0) escaped("be root");
  }
  outcome(0, "be root");
}

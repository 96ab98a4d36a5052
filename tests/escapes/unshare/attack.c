#include "../attack.h"

int main(void) {
  take_job();
  if (unshare(CLONE_NEWUSER) == 0) escaped("unshare");
  int number = errno;
  pid_t child = (pid_t)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
  if (child == 0) _exit(0);
  if (child > 0) escaped("clone");
  uint64_t arguments[11] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD};
  child = (pid_t)syscall(SYS_clone3, arguments, sizeof arguments);
  if (child == 0) _exit(0);
  if (child > 0) escaped("clone3");
  errno = number;
  outcome(0, "unshare, clone, clone3");
}

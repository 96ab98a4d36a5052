#include "../attack.h"

int main(void) {
  int found = -1;
  // Before the job is taken: standard streams, its socket, and nothing else.
  for (int fd = 4; fd < 4096; ++fd)
    if (fcntl(fd, F_GETFD) >= 0) found = fd;
  take_job();
  if (found < 0) errno = EBADF;
  outcome(found >= 0, "find another descriptor");
}

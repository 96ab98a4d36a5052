#include "../attack.h"

int main(void) {
  take_job();
  static char block[1 << 20];
  signal(SIGXFSZ, SIG_IGN);
  int fd = memfd_create("large", 0);
  for (int i = 0; i < 12; ++i)
    if (write(fd, block, sizeof block) != sizeof block) outcome(0, "write 12 MiB into a file");
  escaped("write 12 MiB into a file");
}

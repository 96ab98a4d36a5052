#include "../attack.h"

int main(void) {
  take_job();
  static char block[1 << 20];
  char path[64];
  for (int i = 0; i < 12; ++i) {
    snprintf(path, sizeof path, "/dev/shm/assay-fill-%d-%d", (int)getpid(), i);
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    if (fd < 0) outcome(0, "make a file");
    unlink(path);
    for (int megabyte = 0; megabyte < 4; ++megabyte)
      if (write(fd, block, sizeof block) != sizeof block) outcome(0, "write 48 MiB of files");
  }
  escaped("write 48 MiB of files");
}

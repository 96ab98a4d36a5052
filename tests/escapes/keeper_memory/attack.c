#include "../attack.h"

int main(void) {
  take_job();
  char path[64], text[8];
  for (int i = 0; i < 2; ++i) {
    snprintf(path, sizeof path, "/proc/%d/mem", i ? (int)getppid() : 1);
    if (open(path, O_RDONLY) >= 0) escaped("open %s", path);
    snprintf(path, sizeof path, "/proc/%d/environ", i ? (int)getppid() : 1);
    int fd = open(path, O_RDONLY);
    if (fd >= 0 && read(fd, text, sizeof text) > 0) escaped("read %s", path);
  }
  held("memory of pid 1 and of the parent: %s", strerror(errno));
}

#include "../attack.h"

int main(void) {
  take_job();
  if (getenv("ASSAY_TEST_SECRET")) escaped("see it in the environment");
  char text[65536];
  int fd = open("/proc/self/environ", O_RDONLY);
  ssize_t size = fd >= 0 ? read(fd, text, sizeof text) : 0;
  errno = ENOENT;
  outcome(size > 0 && memmem(text, (size_t)size, "hunter2", 7), "see it in /proc");
}

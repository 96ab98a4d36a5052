#include "../attack.h"

int main(void) {
  take_job();
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", files[sealed]);
  int fd = open(path, O_RDWR);
  if (fd < 0) fd = files[sealed];
  int worked = pwrite(fd, "x", 1, 0) == 1;
  if (!worked && mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED) worked = 1;
  if (!worked && ftruncate(fd, 0) == 0) worked = 1;
  outcome(worked, "write to a sealed file");
}

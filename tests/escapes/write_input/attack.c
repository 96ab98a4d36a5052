#include "../attack.h"

int main(void) {
  take_job();
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", files[input]);
  int fd = open(path, O_RDWR);
  if (fd < 0) fd = files[input];
  if (pwrite(fd, "x", 1, 0) == 1) escaped("write to an input");
  char *mapped = mmap(NULL, 4096, PROT_READ, MAP_SHARED, files[input], 0);
  if (mapped != MAP_FAILED && mprotect(mapped, 4096, PROT_READ | PROT_WRITE) == 0)
    escaped("make the mapping of an input writable");
  int memory = open("/proc/self/mem", O_RDWR);
  if (memory >= 0 && pwrite(memory, "x", 1, (off_t)(uintptr_t)mapped) == 1)
    escaped("write to an input through its own memory file");
  if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096) == 0)
    escaped("punch a hole into an input");
  outcome(0, "write to an input");
}

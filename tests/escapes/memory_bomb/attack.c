#include "../attack.h"

int main(void) {
  take_job();
  size_t bytes = (size_t)512 << 20;
  char *all = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) outcome(0, "map 512 MiB");
  for (size_t i = 0; i < bytes; i += 4096) all[i] = 1;
  escaped("touch 512 MiB");
}

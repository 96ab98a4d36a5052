#include "../attack.h"

int main(void) {
  take_job();
  outcome(syscall(SYS_bpf, 0, (uint32_t[16]){2, 4, 4, 1}, 64) >= 0, "make a BPF map");
}

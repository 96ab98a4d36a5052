#include "../attack.h"

int main(void) {
  take_job();
#ifdef __x86_64__
  long result = 20;  // getpid
  __asm__ volatile("int $0x80" : "+a"(result)::"memory", "r8", "r9", "r10", "r11");
  errno = ENOSYS;
  outcome(result > 0, "call getpid by int 0x80");
#else
  escaped("nothing: this processor has no such calls");
#endif
}

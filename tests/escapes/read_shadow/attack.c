#include "../attack.h"

int main(void) {
  take_job();
  char text[64];
  int fd = open("/etc/shadow", O_RDONLY);
  outcome(fd >= 0 && read(fd, text, sizeof text) > 0, "read /etc/shadow");
}

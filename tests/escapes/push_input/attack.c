#include "../attack.h"

#include <sys/ioctl.h>

int main(void) {
  take_job();
  // Into a terminal of its own, so that nobody is bothered.
  int terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY);
  if (terminal < 0) outcome(0, "open a terminal");
  outcome(ioctl(terminal, TIOCSTI, "x") == 0, "push a letter into a terminal");
}

#include "../attack.h"

int main(void) {
  take_job();
  char name[256];
  if (gethostname(name, sizeof name) != 0) outcome(0, "read the name");
  outcome(sethostname(name, strlen(name)) == 0, "set the name of the machine");
}

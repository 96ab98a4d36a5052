#include "../attack.h"

#include <sys/mount.h>

int main(void) {
  take_job();
  // Both change nothing outside, where nothing is bound.
  if (mount(NULL, "/tmp", NULL, MS_REMOUNT | MS_BIND, NULL) == 0) escaped("remount /tmp");
  outcome(mount(NULL, "/usr", NULL, MS_PRIVATE, NULL) == 0 || errno == EINVAL, "remount /usr");
}

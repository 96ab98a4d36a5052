#include "../attack.h"

#include <sys/mount.h>

int main(void) {
  take_job();
  char path[4200];
  snprintf(path, sizeof path, "%s/mounted", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
  mkdir(path, 0700);
  int worked = mount("tmpfs", path, "tmpfs", 0, "size=64k") == 0;
  int number = errno;
  if (worked) umount(path);
  rmdir(path);
  errno = number;
  outcome(worked, "mount a tmpfs");
}

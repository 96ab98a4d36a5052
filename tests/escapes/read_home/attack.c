#include "../attack.h"

int main(void) {
  take_job();
  char text[64];
  int fd = open(job_text("secret_file"), O_RDONLY);
  outcome(fd >= 0 && read(fd, text, sizeof text) > 0, "read the secret file");
}

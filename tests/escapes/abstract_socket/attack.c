#include "../attack.h"

#include <stddef.h>
#include <sys/un.h>

int main(void) {
  take_job();
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  struct sockaddr_un to = {0};
  to.sun_family = AF_UNIX;
  const char *name = job_text("abstract");
  memcpy(to.sun_path + 1, name, strlen(name));
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
  outcome(fd >= 0 && connect(fd, (struct sockaddr *)&to, size) == 0, "connect to an abstract socket");
}

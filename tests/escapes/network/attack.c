#include "../attack.h"

#include <netinet/in.h>

int main(void) {
  take_job();
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in to = {0};
  to.sin_family = AF_INET;
  to.sin_port = htons((uint16_t)job_number("port"));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  outcome(fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0, "connect to the host");
}

#include "../attack.h"

int main(void) {
  take_job();
  outcome(socket(40 /* AF_VSOCK */, SOCK_STREAM, 0) >= 0, "make a vsock socket");
}

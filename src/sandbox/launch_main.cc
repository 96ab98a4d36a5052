// assay-launch PROGRAM ARGUMENTS...: an image whose workers become a program.
//
// It is as small as a process can be, so that a fork of it costs little and carries nothing: each
// worker enters its jail, if it has one, and then becomes PROGRAM, which finds on descriptor 3 the
// socket with the job still unread in it. The hello has been said.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "sandbox/fork_server.h"
#include "sandbox/wire.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: assay-launch PROGRAM ARGUMENTS...  (assay runs it, not you)\n");
    return 2;
  }
  assay::sandbox::serve_forks(assay::wire::kChannelFd, "launch", {});
  // Everything else is closed when the program starts; this one descriptor it inherits.
  ::fcntl(assay::wire::kChannelFd, F_SETFD, 0);
  ::execv(argv[1], argv + 1);
  std::fprintf(stderr, "assay-launch: cannot run '%s': %s\n", argv[1], std::strerror(errno));
  return 126;
}

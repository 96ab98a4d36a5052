#include "cli/output.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace assay {

void Output::write(std::string_view text) {
  while (!text.empty() && !closed_) {
    ssize_t count = ::write(STDOUT_FILENO, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {
      // A terminal that somebody else set to non-blocking.
      pollfd wait{STDOUT_FILENO, POLLOUT, 0};
      ::poll(&wait, 1, -1);
      continue;
    }
    if (count < 0) {
      closed_ = true;
      healthy_ = errno == EPIPE;
      return;
    }
    text.remove_prefix(static_cast<size_t>(count));
  }
}

void Output::remark(std::string_view lines) { std::fwrite(lines.data(), 1, lines.size(), stderr); }

bool Output::is_terminal() const { return ::isatty(STDOUT_FILENO) == 1; }

}  // namespace assay

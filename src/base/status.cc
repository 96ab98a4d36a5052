#include "base/status.h"

#include <cerrno>
#include <cstring>

namespace assay {

std::string Error::describe() const {
  std::string text;
  for (auto step = doing.rbegin(); step != doing.rend(); ++step) text += "while " + *step + ": ";
  text += message;
  if (!next.empty()) text += "\n  " + next;
  return text;
}

std::unexpected<Error> errno_error(const std::string& what, std::string next) {
  int number = errno;
  if (next.empty() && number == ENOSPC)
    next = "free some disk space and run the same command again";
  const Code code = number == ENAMETOOLONG ? Code::invalid_input : Code::io;
  return error(code, "cannot " + what + ": " + std::strerror(number), std::move(next));
}

}  // namespace assay

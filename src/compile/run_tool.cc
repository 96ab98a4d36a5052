#include "compile/run_tool.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/unique_fd.h"

namespace assay {

int run_tool(const std::vector<std::string>& arguments, Capture& printed, rusage& usage,
             const std::string& output_file) {
  constexpr int kFailed = 1 << 8;  // as if it had exited with 1
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return kFailed;
  UniqueFd reading(ends[0]), writing(ends[1]);
  UniqueFd output;
  if (!output_file.empty()) {
    output = UniqueFd(::open(output_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!output) return kFailed;
  }
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(output ? output.get() : writing.get(), STDOUT_FILENO);
    ::dup2(writing.get(), STDERR_FILENO);
    ::execv(argv[0], argv.data());
    // Seen as what the program says of itself.
    std::string complaint = "error: cannot run '" + arguments[0] + "': " + std::strerror(errno);
    (void)!::write(STDERR_FILENO, complaint.data(), complaint.size());
    ::_exit(127);
  }
  if (pid < 0) return kFailed;
  writing.reset();
  char bytes[1 << 16];
  while (true) {
    const ssize_t count = ::read(reading.get(), bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    printed.add({bytes, static_cast<size_t>(count)});
  }
  int status = 0;
  while (::wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace assay

// Builds one C or C++ file into a shared library, inside the jail: a compiler runs what its input
// says (plugins, includes of files that are none of its business), so it is trusted with nothing.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "base/json.h"
#include "sandbox/wire.h"

namespace {

using namespace assay;

// What rides on the job's frame.
enum Place { kSource, kLibrary, kPlaces };

[[noreturn]] void answer(const Json& message) {
  ::_exit(wire::send(wire::kChannelFd, wire::frame(dump_json(message))) ? 0 : 1);
}

[[noreturn]] void fail(const std::string& error) {
  answer({{"final", true}, {"failed", {{"class", "build"}, {"error", error}}}});
}

// All of one file into another, from their beginnings. False with errno on failure.
bool copy(int from, int to) {
  struct stat info{};
  if (::fstat(from, &info) != 0) return false;
  off_t done = 0;
  while (done < info.st_size)
    if (::sendfile(to, from, &done, static_cast<size_t>(info.st_size - done)) <= 0) return false;
  return true;
}

void copy_from(int from, const char* path) {
  int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0 || !copy(from, file))
    fail(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  ::close(file);
}

int run(const std::vector<std::string>& arguments) {
  pid_t child = ::fork();
  if (child < 0) fail(fmt::format("cannot start the compiler: {}", std::strerror(errno)));
  if (child == 0) {
    std::vector<char*> pointers;
    for (const std::string& each : arguments) pointers.push_back(const_cast<char*>(each.c_str()));
    pointers.push_back(nullptr);
    ::execvp(pointers[0], pointers.data());
    fmt::print(stderr, "cannot start {}: {}\n", arguments[0], std::strerror(errno));
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

int main() {
  auto received = wire::receive_job(wire::kChannelFd);
  if (!received || received->descriptors.size() != kPlaces) ::_exit(1);
  auto job = parse_json(received->body, "the job");
  if (!job) ::_exit(1);
  JsonReader fields(*job, "the job");
  std::vector<std::string> command = fields.texts("command");  // up to the files
  std::string source = fields.text("source");                  // the file's name
  if (!fields.status()) ::_exit(1);
  copy_from(received->descriptors[kSource], source.c_str());
  command.insert(command.end(), {"-o", "kernel.so", source, "-lm"});
  if (int status = run(command); status != 0)
    fail(WIFSIGNALED(status)
             ? fmt::format("the compiler was ended by signal {}", WTERMSIG(status))
             : fmt::format("the compiler ended with status {}", WEXITSTATUS(status)));
  int library = ::open("kernel.so", O_RDONLY | O_CLOEXEC);
  if (library < 0) fail("the compiler reported success and left no library");
  if (!copy(library, received->descriptors[kLibrary]))
    fail(fmt::format("cannot hand the library over: {}", std::strerror(errno)));
  answer({{"final", true}, {"ok", Json::object()}});
}

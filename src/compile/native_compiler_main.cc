// Builds C and C++ files into a shared library, inside the jail: a compiler runs what its input
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
#include "base/unique_fd.h"
#include "sandbox/memory_file.h"
#include "sandbox/wire.h"

namespace {

using namespace assay;

// What rides on the job's frame.
enum Place { kSheet, kSources, kLibrary, kPlaces };

constexpr const char* kLibraryName = "library.so";

[[noreturn]] void answer(const Json& message) {
  ::_exit(wire::send(wire::kChannelFd, wire::frame(dump_json(message))) ? 0 : 1);
}

[[noreturn]] void fail(const std::string& error) {
  answer({{"final", true}, {"failed", {{"class", "build"}, {"error", error}}}});
}

// So many bytes of one file from there on to the end of another. False with errno on failure.
bool copy(int from, off_t offset, uint64_t bytes, int to) {
  const off_t end = offset + static_cast<off_t>(bytes);
  while (offset < end) {
    ssize_t copied = ::sendfile(to, from, &offset, static_cast<size_t>(end - offset));
    if (copied < 0) return false;
    if (copied == 0) return errno = EIO, false;  // it is shorter than that
  }
  return true;
}

uint64_t size_of(int file) {
  struct stat info{};
  return ::fstat(file, &info) == 0 ? static_cast<uint64_t>(info.st_size) : 0;
}

// Makes the folders that a file's name has in it. That one is not there is said by who opens it.
void make_folders(const std::string& name) {
  for (size_t end = name.find('/'); end != std::string::npos; end = name.find('/', end + 1))
    ::mkdir(name.substr(0, end).c_str(), 0700);
}

// Writes the files of a job, which lie one behind the other in `sources`.
void write_files(const Json& files, int sources) {
  off_t offset = 0;
  for (const Json& each : files) {
    JsonReader fields(each, "a file");
    std::string name = fields.text("name");
    auto bytes = static_cast<uint64_t>(fields.integer("bytes"));
    if (!fields.status()) ::_exit(1);
    make_folders(name);
    int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || !copy(sources, offset, bytes, file))
      fail(fmt::format("cannot write {}: {}", name, std::strerror(errno)));
    ::close(file);
    offset += static_cast<off_t>(bytes);
  }
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
  const std::vector<int>& fds = received->descriptors;
  auto sheet = read_memory_file(UniqueFd(fds[kSheet]));
  if (!sheet) ::_exit(1);
  auto job = parse_json(*sheet, "the job");
  if (!job) ::_exit(1);
  JsonReader fields(*job, "the job");
  std::vector<std::string> command = fields.texts("compile");
  const std::vector<std::string> sources = fields.texts("sources"), link = fields.texts("link");
  const Json& files = fields.value("files");
  if (!fields.status() || command.empty()) ::_exit(1);
  write_files(files, fds[kSources]);
  command.insert(command.end(), {"-o", kLibraryName});
  command.insert(command.end(), sources.begin(), sources.end());
  command.insert(command.end(), link.begin(), link.end());
  if (int status = run(command); status != 0)
    fail(WIFSIGNALED(status)
             ? fmt::format("the compiler was ended by signal {}", WTERMSIG(status))
             : fmt::format("the compiler ended with status {}", WEXITSTATUS(status)));
  int library = ::open(kLibraryName, O_RDONLY | O_CLOEXEC);
  if (library < 0) fail("the compiler reported success and left no library");
  if (!copy(library, 0, size_of(library), fds[kLibrary]))
    fail(fmt::format("cannot hand the library over: {}", std::strerror(errno)));
  answer({{"final", true}, {"ok", Json::object()}});
}

// A stand-in for the Python interpreter: plays the worker's roles at once, without torch. What it
// exports is the problem's own text, so that a problem can tell the fake compiler what to do; with
// "export: hang" and the like the export itself misbehaves. Called as `fake_python -s FOLDER ROLE`.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "base/json.h"
#include "sandbox/fork_server.h"
#include "sandbox/wire.h"

namespace {

using assay::Json;
namespace wire = assay::wire;

void send(const Json& message) {
  wire::send(wire::kChannelFd, wire::frame(assay::dump_json(message)));
}

std::string own_folder() {
  char path[4096];
  ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  std::string text(path, size > 0 ? static_cast<size_t>(size) : 0);
  return text.substr(0, text.rfind('/'));
}

void describe(const char* self) {
  send({{"protocol", 1}, {"image", "describe"}});
  send({{"final", true},
        {"ok",
         {{"python", "0"},
          {"environment", "fake"},
          {"executable", self},
          {"reads", {self}},
          {"packages",
           {{"torch", "fake"},
            {"iree-turbine", "fake"},
            {"iree-base-compiler", "fake"},
            {"iree-base-runtime", nullptr},
            {"numpy", "fake"}}},
          {"compiler_library", own_folder() + "/libfake_compiler.so"}}}});
}

[[noreturn]] void export_one() {
  auto job = wire::receive_job(wire::kChannelFd);
  if (!job || job->descriptors.size() != 2) _exit(1);
  const std::vector<int>& descriptors = job->descriptors;
  std::string source;
  char bytes[4096];
  for (ssize_t size;
       (size = pread(descriptors[0], bytes, sizeof bytes, static_cast<off_t>(source.size()))) > 0;)
    source.append(bytes, static_cast<size_t>(size));
  auto says = [&](const char* what) { return source.find(what) != std::string::npos; };
  if (says("export: hang"))
    while (true) pause();
  if (says("export: crash")) raise(SIGSEGV);
  if (says("export: sleep")) usleep(300'000);
  if (says("export: fail")) {
    send({{"final", true},
          {"failed", {{"class", "load"}, {"error", "it says so"}, {"detail", source}}}});
    _exit(0);
  }
  ssize_t written = write(descriptors[1], source.data(), source.size());
  send({{"final", true},
        {"ok", {{"inputs", Json::array()}, {"outputs", Json::array()}, {"mlir_bytes", written}}}});
  _exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  std::string role = argc == 4 ? argv[3] : "";
  if (role == "describe") {
    describe(argv[0]);
    return 0;
  }
  if (role != "export") return 1;
  assay::sandbox::serve_forks(wire::kChannelFd, "export", {});
  export_one();
}

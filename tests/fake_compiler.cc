// A stand-in for libIREECompiler.so that misbehaves as the program's text says: "compiler: hang".
// Compiles anything else, at once, into a small whole module that depends only on program and
// flags.
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace {

struct Session {
  std::string flags;
};
struct Invocation {
  Session* session;
  std::string program;
  void (*diagnose)(int, const char*, size_t, void*) = nullptr;
  void* user = nullptr;
};

bool says(const std::string& text, const char* what) {
  return text.find(what) != std::string::npos;
}

std::string* complaint(const std::string& text) { return new std::string(text); }

}  // namespace

extern "C" {

int ireeCompilerGetAPIVersion() { return (1 << 16) | 4; }
void ireeCompilerGlobalInitialize() {}
const char* ireeCompilerGetRevision() { return "fake"; }
void ireeCompilerErrorDestroy(std::string* error) { delete error; }
const char* ireeCompilerErrorGetMessage(std::string* error) { return error->c_str(); }
Session* ireeCompilerSessionCreate() { return new Session; }
void ireeCompilerSessionDestroy(Session* session) { delete session; }

std::string* ireeCompilerSessionSetFlags(Session* session, int argc, const char* const* argv) {
  for (int i = 0; i < argc; ++i) {
    if (says(argv[i], "--iree-scheduling-dump-statistics")) {
      const char* file = strstr(argv[i], "file=");
      if (file)
        std::ofstream(file + 5) << R"({"stream-aggregate": {"execution": {"dispatch-count": 3}}})";
      continue;
    }
    if (says(argv[i], "--no-such-flag")) return complaint("unknown flag --no-such-flag");
    session->flags += argv[i];
  }
  return nullptr;
}

Invocation* ireeCompilerInvocationCreate(Session* session) { return new Invocation{session, {}}; }
void ireeCompilerInvocationDestroy(Invocation* invocation) { delete invocation; }

void ireeCompilerInvocationEnableCallbackDiagnostics(
    Invocation* invocation, int, void (*callback)(int, const char*, size_t, void*), void* user) {
  invocation->diagnose = callback;
  invocation->user = user;
}

void ireeCompilerInvocationSetDumpCompilationPhasesTo(Invocation*, const char* folder) {
  mkdir(folder, 0700);
  for (const char* name : {"kernel.1.input.mlir", "kernel.10.hal.mlir", "kernel.2.abi.mlir"})
    std::ofstream(std::string(folder) + "/" + name) << name;
}

std::string* ireeCompilerSourceWrapBuffer(Session*, const char*, const char* buffer, size_t length,
                                          bool, std::string** out) {
  *out = new std::string(buffer, length - 1);
  return nullptr;
}
void ireeCompilerSourceDestroy(std::string* source) { delete source; }

bool ireeCompilerInvocationParseSource(Invocation* invocation, std::string* source) {
  invocation->program = *source;
  return !says(*source, "compiler: cannot parse");
}

bool ireeCompilerInvocationPipeline(Invocation* invocation, int) {
  const std::string& program = invocation->program;
  // "... on a100" misbehaves only for targets whose flags say so.
  bool here = !says(program, " on ") ||
              (says(program, " on cuda") && says(invocation->session->flags, "cuda"));
  if (here && says(program, "compiler: crash")) raise(SIGSEGV);
  if (here && says(program, "compiler: abort")) abort();
  if (here && says(program, "compiler: exit")) _exit(1);
  if (here && says(program, "compiler: hang"))
    while (true) pause();
  if (here && says(program, "compiler: sleep")) usleep(300'000);
  if (here && says(program, "compiler: allocate")) {
    std::vector<char> block(size_t{100} << 30, 1);
    return block.size() == 1;
  }
  const std::string& flags = invocation->session->flags;
  if (says(program, "compiler: chatty")) {
    std::string note(400'000, 'x');
    invocation->diagnose(0, note.data(), note.size(), invocation->user);
  }
  if (here && says(program, "compiler: large")) {
    std::vector<char> block(size_t{200} << 20, 1);
    // As the real one starts a linker: what a child uses counts its parent's peak.
    if (block[12345] != 1 || std::system("true") != 0) return false;
  }
  if (says(program, "compiler: full disk")) {
    // The compiler's library for files says it there; writing an object, it then ends the process.
    const char* printed = "LLVM ERROR: IO failure on output stream: No space left on device\n";
    (void)!write(2, printed, strlen(printed));
    if (says(program, "writing the object")) _exit(1);
    const char* text = "failed to link executable and generate target dylib";
    invocation->diagnose(2, text, strlen(text), invocation->user);
    return false;
  }
  if (says(program, "compiler: small stack") && !says(flags, "stack-allocation-limit=262144")) {
    const char* text = "exceeded stack allocation limit of 32768 bytes";
    invocation->diagnose(2, text, strlen(text), invocation->user);
    return false;
  }
  if (here && says(program, "compiler: cannot link")) {
    const char* printed = "iree-lld: error: kernel.o: undefined symbol: fmaxf\n";
    (void)!write(2, printed, strlen(printed));
    const char* text = "failed to link executable and generate target dylib";
    invocation->diagnose(2, text, strlen(text), invocation->user);
    return false;
  }
  if (here && says(program, "compiler: fail")) {
    const char* text = "kernel.mlir:3:4: failed to legalize operation 'fake.op'";
    invocation->diagnose(2, text, strlen(text), invocation->user);
    return false;
  }
  return true;
}

std::string* ireeCompilerOutputOpenMembuffer(std::string** out) {
  *out = new std::string;
  return nullptr;
}
void ireeCompilerOutputDestroy(std::string* output) { delete output; }

std::string* ireeCompilerInvocationOutputVMBytecode(Invocation* invocation, std::string* output) {
  std::string body = "\x18IREE" + invocation->session->flags + invocation->program;
  body.insert(0, 3, '\0');
  uint32_t size = static_cast<uint32_t>(body.size());
  std::string module(reinterpret_cast<const char*>(&size), 4);
  body.replace(0, 4, std::string("\x18\0\0\0", 4));
  module += body;
  if (says(invocation->program, "compiler: truncate")) module.resize(module.size() / 2);
  *output = module;
  return nullptr;
}

std::string* ireeCompilerOutputMapMemory(std::string* output, void** contents, uint64_t* size) {
  *contents = output->data();
  *size = output->size();
  return nullptr;
}

}  // extern "C"

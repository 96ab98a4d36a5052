#include "compile/iree_api.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "base/unique_fd.h"

namespace assay {
namespace {

constexpr int kMajorVersion = 1;

template <class T>
bool read_at(int fd, uint64_t offset, T& value) {
  return ::pread(fd, &value, sizeof value, static_cast<off_t>(offset)) == sizeof value;
}

// The GNU build id note of a 64-bit ELF file as hexadecimal; "" when there is none.
std::string build_id(int fd) {
  Elf64_Ehdr header;
  if (!read_at(fd, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64)
    return "";
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!read_at(fd, header.e_phoff + static_cast<uint64_t>(i) * header.e_phentsize, segment))
      return "";
    if (segment.p_type != PT_NOTE || segment.p_filesz > 1 << 20) continue;
    for (uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= segment.p_filesz;) {
      Elf64_Nhdr note;
      if (!read_at(fd, segment.p_offset + at, note)) return "";
      auto padded = [](uint64_t size) { return (size + 3) & ~uint64_t{3}; };
      uint64_t data = at + sizeof note + padded(note.n_namesz);
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz <= 64) {
        std::vector<unsigned char> id(note.n_descsz);
        if (::pread(fd, id.data(), id.size(), static_cast<off_t>(segment.p_offset + data)) !=
            static_cast<ssize_t>(id.size()))
          return "";
        std::string text;
        for (unsigned char byte : id) text += fmt::format("{:02x}", byte);
        return text;
      }
      at = data + padded(note.n_descsz);
    }
  }
  return "";
}

}  // namespace

Result<IreeApi> IreeApi::load(const std::string& library_path) {
  void* library = ::dlopen(library_path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return error(Code::unavailable, fmt::format("cannot load the compiler: {}", ::dlerror()));
  std::string missing;
  auto look_for = [&](auto& function, const char* name) {
    void* symbol = ::dlsym(library, name);
    std::memcpy(&function, &symbol, sizeof function);
    return symbol != nullptr;
  };
  auto find = [&](auto& function, const char* name) {
    if (!look_for(function, name) && missing.empty()) missing = name;
  };
  IreeApi api{};
  find(api.get_api_version, "ireeCompilerGetAPIVersion");
  find(api.global_initialize, "ireeCompilerGlobalInitialize");
  find(api.error_destroy, "ireeCompilerErrorDestroy");
  find(api.error_message, "ireeCompilerErrorGetMessage");
  find(api.session_create, "ireeCompilerSessionCreate");
  find(api.session_destroy, "ireeCompilerSessionDestroy");
  find(api.session_set_flags, "ireeCompilerSessionSetFlags");
  find(api.invocation_create, "ireeCompilerInvocationCreate");
  find(api.invocation_destroy, "ireeCompilerInvocationDestroy");
  find(api.enable_callback_diagnostics, "ireeCompilerInvocationEnableCallbackDiagnostics");
  find(api.dump_phases_to, "ireeCompilerInvocationSetDumpCompilationPhasesTo");
  find(api.parse_source, "ireeCompilerInvocationParseSource");
  find(api.run_pipeline, "ireeCompilerInvocationPipeline");
  find(api.output_vm_bytecode, "ireeCompilerInvocationOutputVMBytecode");
  find(api.source_wrap_buffer, "ireeCompilerSourceWrapBuffer");
  find(api.source_destroy, "ireeCompilerSourceDestroy");
  find(api.output_open_membuffer, "ireeCompilerOutputOpenMembuffer");
  find(api.output_map_memory, "ireeCompilerOutputMapMemory");
  find(api.output_destroy, "ireeCompilerOutputDestroy");
  look_for(api.session_borrow_context, "ireeCompilerSessionBorrowContext");
  look_for(api.context_enable_multithreading, "mlirContextEnableMultithreading");
  if (!missing.empty())
    return error(Code::unavailable, fmt::format("'{}' has no {}", library_path, missing),
                 "use a build of IREE that exports its compiler's C API");
  int version = api.get_api_version();
  if (version >> 16 != kMajorVersion)
    return error(Code::unavailable,
                 fmt::format("'{}' has version {}.{} of the compiler API; assay speaks {}",
                             library_path, version >> 16, version & 0xffff, kMajorVersion));
  return api;
}

Result<std::string> library_identity(const std::string& library_path) {
  UniqueFd fd(::open(library_path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return errno_error("read the compiler '" + library_path + "'");
  std::string id = build_id(fd.get());
  if (!id.empty()) return "build-id:" + id;
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return errno_error("read the compiler '" + library_path + "'");
  return fmt::format("file:{}:{}.{}", info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

}  // namespace assay

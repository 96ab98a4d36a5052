// The part of IREE's compiler C API (embedding_api.h, version 1) that assay calls. The compiler's
// package brings the library without its header, so the functions are declared here and looked up
// at run time; that also lets a user put another build in its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/status.h"

namespace assay {

struct IreeError;
struct IreeSession;
struct IreeInvocation;
struct IreeSource;
struct IreeOutput;
struct MlirContext {
  void* pointer;
};

// Functions of one loaded libIREECompiler.so. Never unloaded: the library does not support it.
struct IreeApi {
  using DiagnosticCallback = void (*)(int severity, const char* message, size_t size, void* user);
  // note 0, warning 1, error 2, remark 3
  static constexpr int kErrorSeverity = 2;
  static constexpr int kPipelineStandard = 0;  // from source all the way to the VM

  int (*get_api_version)();
  void (*global_initialize)();
  void (*error_destroy)(IreeError*);
  const char* (*error_message)(IreeError*);
  IreeSession* (*session_create)();
  void (*session_destroy)(IreeSession*);
  IreeError* (*session_set_flags)(IreeSession*, int argc, const char* const* argv);
  IreeInvocation* (*invocation_create)(IreeSession*);
  void (*invocation_destroy)(IreeInvocation*);
  void (*enable_callback_diagnostics)(IreeInvocation*, int flags, DiagnosticCallback, void* user);
  void (*dump_phases_to)(IreeInvocation*, const char* folder);
  bool (*parse_source)(IreeInvocation*, IreeSource*);
  bool (*run_pipeline)(IreeInvocation*, int pipeline);
  IreeError* (*output_vm_bytecode)(IreeInvocation*, IreeOutput*);
  IreeError* (*source_wrap_buffer)(IreeSession*, const char* name, const char* buffer,
                                   size_t length, bool is_null_terminated, IreeSource** out);
  void (*source_destroy)(IreeSource*);
  IreeError* (*output_open_membuffer)(IreeOutput** out);
  IreeError* (*output_map_memory)(IreeOutput*, void** contents, uint64_t* size);
  void (*output_destroy)(IreeOutput*);
  // What is not of the stable API; null where a build has none.
  MlirContext (*session_borrow_context)(IreeSession*);
  void (*context_enable_multithreading)(MlirContext, bool enable);

  // Loads the library. Fails when it is missing, lacks a function, or has another API version.
  static Result<IreeApi> load(const std::string& library_path);
};

// The identity of a compiler build for cache keys, read from the file without loading it: its
// linker's build id, else its size and time of change.
Result<std::string> library_identity(const std::string& library_path);

}  // namespace assay

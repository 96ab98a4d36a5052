// What a candidate in Python asks for before it can be run: a C++ extension of torch's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace assay {

// Of one extension. It has to fit into one answer of its candidate's.
inline constexpr size_t kMostExtensionFiles = 64;
inline constexpr size_t kMostExtensionBytes = size_t{512} << 10;

// A file to be compiled, or to be included: "relu.cpp", "detail/vector.h".
struct NamedText {
  std::string name, text;
};

// Whether it is that of a file in some folder, or in sub-folders: no path leads out of it, and no
// compiler takes it for a flag.
bool is_name_in_folder(std::string_view name);

// All of it is the candidate's own word. What it names is compiled in a jail, and loaded into the
// candidate's process alone.
struct ExtensionRequest {
  std::string digest;  // that it asks for the library by
  std::string name;    // of the module
  // "cuda", "sycl"; "": the host. What follows is there for the device that is asked for alone.
  std::string device;
  std::vector<NamedText> files;
  std::vector<std::string> sources;  // of these files
  std::vector<std::string> compile_flags, link_flags;
  std::vector<std::string> device_flags;  // of the device's compiler, beside

  bool has_sources() const { return !sources.empty(); }
};

// {"digest", "name", "files": [{"name", "text"}], "sources", "compile", "link"}, with "device" and
// "device_compile" where it is for one; or {"digest", "name", "device"}. Fails on anything else.
Result<ExtensionRequest> extension_from_json(const Json& json);

}  // namespace assay

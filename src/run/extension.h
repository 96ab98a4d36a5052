// What a candidate in Python asks for before it can be run: a C++ extension of torch's.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace assay {

// A file to be compiled, or to be included: `name` has no folder in it.
struct NamedText {
  std::string name, text;
};

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

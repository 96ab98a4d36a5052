// The Python that assay uses: which interpreter, what it brings, and how the worker is started.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/places.h"
#include "base/status.h"
#include "sandbox/image_process.h"
#include "sandbox/spawner.h"

namespace assay {

// What an interpreter says of itself (python/assay_worker/describe.py). Absent: not installed.
struct PythonDescription {
  std::string executable;
  std::string version;
  std::optional<std::string> torch;
  std::optional<std::string> turbine;
  std::optional<std::string> compiler;  // iree-base-compiler
  std::optional<std::string> runtime;   // iree-base-runtime
  std::optional<std::string> numpy;
  std::optional<std::string> triton;
  std::optional<std::string> jax, torchax;             // of the author xla
  std::optional<std::string> torch_mlir;               // of the author iree-torch-mlir
  std::optional<std::string> onnxruntime, onnxscript;  // of the author onnxruntime
  std::optional<std::string> compiler_library;         // path of libIREECompiler.so
  std::optional<std::string> compiler_tool;            // path of iree-compile
  std::optional<std::string> ptxas;                    // path of the one that Triton brings
  std::vector<std::string> reads;                      // paths: itself, and what it imports from
  std::vector<std::string> headers;  // folders: what C++ extensions are built with
  std::string environment;           // hash of its version and of all that is installed
};

// A package that some authors need beside torch and numpy: AuthorType::packages.
struct AuthorPackage {
  const char* name;  // as pip knows it
  bool is_usual;     // assay is of little use without it
  std::optional<std::string> PythonDescription::* version;
};
std::span<const AuthorPackage> author_packages();

// $ASSAY_PYTHON, else the python3 beside the assay binary, else python3 on PATH. Fails when there
// is none.
Result<std::string> find_python(const Places& places);

// An image of the worker in one of its roles: "describe", "export".
Image python_image(const std::string& python, const Places& places, const std::string& role);

// What a problem's file imports, of the packages that take seconds to.
std::vector<std::string> packages_of(std::string_view problem);
// The same with these: its forks find them loaded.
Image with_packages(Image image, const std::vector<std::string>& packages);

Result<PythonDescription> describe_python(const std::string& python, const Places& places);

// The environment that images get: a short list of harmless names, and one thread until the fork.
std::vector<std::string> image_environment();

}  // namespace assay

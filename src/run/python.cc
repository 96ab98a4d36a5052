#include "run/python.h"

#include <unistd.h>

#include <sstream>

#include "base/disk.h"

namespace assay {
namespace {

bool executable(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }

}  // namespace

std::span<const AuthorPackage> author_packages() {
  using Python = PythonDescription;
  static const std::vector<AuthorPackage> all{{"iree-turbine", true, &Python::turbine},
                                              {"iree-base-compiler", true, &Python::compiler},
                                              {"iree-base-runtime", false, &Python::runtime},
                                              {"jax", false, &Python::jax},
                                              {"torchax", false, &Python::torchax},
                                              {"torch-mlir", false, &Python::torch_mlir},
                                              {"onnxruntime", false, &Python::onnxruntime},
                                              {"onnxscript", false, &Python::onnxscript}};
  return all;
}

Result<std::string> find_python(const Places& places) {
  std::string asked = environment_variable("ASSAY_PYTHON");
  if (!asked.empty()) {
    if (executable(asked)) return asked;
    return error(Code::unavailable, "ASSAY_PYTHON names '" + asked + "', which cannot be run",
                 "set it to the path of a python3 that has torch and iree-turbine");
  }
  std::string beside = join_path(places.prefix, "bin/python3");
  if (executable(beside)) return beside;
  std::istringstream folders(environment_variable("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string candidate = join_path(folder, "python3");
    if (folder.starts_with('/') && executable(candidate)) return candidate;
  }
  return error(Code::unavailable, "there is no python3 beside assay or on PATH",
               "set ASSAY_PYTHON to the path of a python3 that has torch and iree-turbine");
}

std::vector<std::string> image_environment() {
  std::vector<std::string> environment;
  // What a library may need to be found and to speak the user's language; nothing else, since what
  // runs there may not be trusted with what the user's shell knows.
  for (const char* name : {"PATH", "LD_LIBRARY_PATH", "HOME", "LANG", "LC_ALL", "TZ", "HF_HOME",
                           "HF_HUB_OFFLINE", "SSL_CERT_FILE", "ASSAY_HOLDING"}) {
    std::string value = environment_variable(name);
    if (!value.empty()) environment.push_back(std::string(name) + "=" + value);
  }
  // A pool of threads would not survive the fork (sandbox/fork_server.h).
  for (const char* one : {"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1"})
    environment.emplace_back(one);
  environment.emplace_back(
      "KINETO_LOG_LEVEL=9");  // torch's profiler prints when it begins and ends
  return environment;
}

Image python_image(const std::string& python, const Places& places, const std::string& role) {
  // -s and an environment without PYTHONPATH: nothing of the user's decides what is imported. The
  // hashes of strings are the same in every run, and with them the order of sets: a file that
  // iterates over one exports to the same program each time.
  std::vector<std::string> environment = image_environment();
  environment.emplace_back("PYTHONHASHSEED=0");
  return Image{role, {python, "-s", places.python, role}, std::move(environment)};
}

std::vector<std::string> packages_of(std::string_view problem) {
  std::vector<std::string> packages;
  // Those that python/assay_worker/packages.py knows.
  for (const std::string name : {"torch_geometric", "transformers"})
    if (problem.contains("from " + name) || problem.contains("import " + name))
      packages.push_back(name);
  return packages;
}

Image with_packages(Image image, const std::vector<std::string>& packages) {
  if (packages.empty()) return image;
  image.argv_otherwise = image.argv;
  image.argv.insert(image.argv.end(), packages.begin(), packages.end());
  return image;
}

Result<PythonDescription> describe_python(const std::string& python, const Places& places) {
  auto answer = ask_once(python_image(python, places, "describe"));
  if (!answer) return while_doing(answer.error(), "asking " + python + " what it has");
  JsonReader reply(*answer, "the worker's answer");
  JsonReader fields(reply.value("ok"), "the worker's description");
  JsonReader packages(fields.value("packages"), "the worker's packages");
  PythonDescription result;
  result.executable = fields.text("executable");
  result.version = fields.text("python");
  result.environment = fields.text("environment");
  for (const Json& path : fields.value("reads"))
    if (path.is_string()) result.reads.push_back(path.get<std::string>());
  for (const Json& path : fields.value("headers"))
    if (path.is_string()) result.headers.push_back(path.get<std::string>());
  result.compiler_library = fields.optional_text("compiler_library");
  result.compiler_tool = fields.optional_text("iree_compile");
  result.ptxas = fields.optional_text("ptxas");
  result.torch = packages.optional_text("torch");
  result.turbine = packages.optional_text("iree-turbine");
  result.compiler = packages.optional_text("iree-base-compiler");
  result.runtime = packages.optional_text("iree-base-runtime");
  result.numpy = packages.optional_text("numpy");
  result.triton = packages.optional_text("triton");
  result.jax = packages.optional_text("jax");
  result.torchax = packages.optional_text("torchax");
  result.torch_mlir = packages.optional_text("torch-mlir");
  result.onnxruntime = packages.optional_text("onnxruntime");
  result.onnxscript = packages.optional_text("onnxscript");
  ASSAY_TRY(fields.status());
  ASSAY_TRY(packages.status());
  return result;
}

}  // namespace assay

// What holds a candidate while it is called: an image, or a program. A row for each; to add one,
// write it beside the others in runners.cc. Nothing outside of this folder and of the forms that
// are held (author/form.h) names one.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/places.h"
#include "model/device.h"
#include "sandbox/spawner.h"

namespace assay {

// An emulator that is here.
struct FoundEmulator {
  std::string path;    // what it is found by
  std::string runner;  // the program that the CPU runs which it plays; "": it plays a device
};
using FoundEmulators = std::map<std::string, FoundEmulator, std::less<>>;  // by name

// What a runner's image is made of.
struct RunnerSetting {
  const Places& places;
  const std::string& python;  // the interpreter
  // Of candidates. Its programs have one thread until they hold a candidate, which may raise the
  // count.
  std::vector<std::string> environment;
  std::string compile_cache;  // a folder, for what torch's compiler keeps
  FoundEmulators emulators{};
};

struct Runner {
  std::string_view name;
  std::string_view title;  // for people
  Image (*image)(const RunnerSetting& setting);
  // What a jail has to show for it, besides Python and the system. Null: nothing.
  std::vector<std::string> (*reads)(const RunnerSetting& setting) = nullptr;
  Device device{};  // that it serves
  // Results are tensors of its own, which are read where they lie, or copied; otherwise they are
  // written into memory that it is given, with red zones around them.
  bool returns_own_tensors = false;
  // Its memory is malloc's and Python's, and what it is preloaded with says how.
  bool is_in_python = false;
  bool is_forked = false;         // from an image in Python, whose address layout it has
  bool imports_packages = false;  // what it holds is a problem's model, or imports what that does
  bool copies_inputs = false;
  bool flushes_denormals = false;  // its arithmetic takes subnormal numbers as 0, by design
  // It may find out only when it has started that it can't hold a candidate.
  bool may_decline = false;
  bool has_other_driver = false;  // that runs the parts of a program in an order of its own
  // Of what IREE compiled it is handed one executable, whose one function it calls.
  bool calls_function = false;
  bool is_emulated = false;  // it says what is computed, and nothing of time
  // The same with torch's compiler loaded already, for candidates that are likely to use it: that
  // takes a second and not twenty. Null: it is used as it is.
  const Runner& (*with_compiler)() = nullptr;
};

std::span<const Runner* const> runners();

const Runner& python_runner();         // candidates in Python
const Runner& inductor_runner();       // the same, with torch's compiler
const Runner& xla_runner();            // torch, for what XLA compiles
const Runner& cuda_runner();           // candidates in Python, on a card
const Runner& iree_runner();           // what IREE compiled
const Runner& native_runner();         // shared libraries
const Runner& native_cuda_runner();    // shared libraries, on a card
const Runner& suite_runner();          // tests of a suite's kernel, in Triton's interpreter
const Runner& suite_compile_runner();  // the same, whose kernels are compiled and not run
const Runner& direct_runner();         // one function of what IREE compiled, without its runtime
// The same, of what is compiled for another CPU (emulator.h).
const Runner& emulated_aarch64_runner();
const Runner& emulated_riscv64_runner();
const Runner& lavapipe_runner();  // what IREE compiled for Vulkan, on a device that is emulated

// A program that the launcher becomes.
Image launched(const RunnerSetting& setting, std::vector<std::string> program);

// By the runner's name.
using RunnerImages = std::map<std::string_view, Image>;
RunnerImages runner_images(const RunnerSetting& setting);
// What jails have to show for any of them.
std::vector<std::string> runner_reads(const RunnerSetting& setting);

}  // namespace assay

// In what form an implementation is handed in, and all that follows from it. A row for each; to add
// one, write it in form.cc. Code asks a form what it is, and never which it is.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/gpu.h"
#include "run/runner.h"

namespace assay {

struct Form {
  // What a runner is handed.
  enum class Holds {
    model,     // Python: Model of the problem itself, or ModelNew, in the place of the problem's
    artifact,  // what the compile stage makes of the problem's export, with the shapes that this
               // has
    kernel,    // a shared library that exports assay_kernel (include/assay/kernel.h)
  };
  // What its code is built from, before that.
  enum class Build { none, c, cpp, cuda, hip };

  std::string_view title;  // for people
  Holds holds = Holds::model;
  const Runner& (*runner)() = nullptr;  // null: nothing here can hold it
  Build build = Build::none;
  std::optional<GpuKind> gpu{};  // that all its code is for
  std::vector<std::string_view>
      languages{};  // as answers and requests name it; the first one in messages
  std::vector<std::string_view> endings{};  // of its files

  bool is_model() const { return holds == Holds::model; }
  bool is_artifact() const { return holds == Holds::artifact; }
  bool is_kernel() const { return holds == Holds::kernel; }
  // Whether the C or C++ compiler builds it here.
  bool is_built_here() const { return is_built_as_c() || build == Build::cpp; }
  bool is_built_as_c() const { return build == Build::c; }
  // Whether an emulator calls it; nothing does where it has no runner.
  bool is_emulated() const { return runner != nullptr && runner().is_emulated; }
  // Whether it is not handed in whole: what is called is one function of it, without its runtime.
  bool is_one_function() const { return runner != nullptr && runner().calls_function; }
  // Whether a card of NVIDIA's can be what it is called on.
  bool runs_on_card() const { return is_model() || gpu == GpuKind::cuda; }
  // Whether what its files name lies beside them, and is handed in with them.
  bool takes_files_beside() const { return is_model(); }
};

// Each once, for the whole program: forms are compared by their addresses.
std::span<const Form* const> forms();

const Form& python_form();    // where nothing else is said
const Form& artifact_form();  // what the compile stage makes
const Form& direct_form();    // the one executable in that, where it is one call
// What an emulator of this name calls of it; null: nobody knows that one.
const Form* emulated_form(std::string_view emulator);
const Form& c_form();    // a block of code without a language
const Form& cpp_form();  // and with extern "C"

// Null: there is none.
const Form* form_of_language(std::string_view language);
const Form* form_of_ending(std::string_view ending);
// "python, c or cpp": the first of each, for messages.
std::string known_languages();

}  // namespace assay

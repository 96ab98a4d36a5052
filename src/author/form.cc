#include "author/form.h"

#include <algorithm>

#include "base/rows.h"
#include "run/emulator.h"

namespace assay {
namespace {

const Form& cuda_form() {
  static const Form form{.title = "CUDA",
                         .holds = Form::Holds::kernel,
                         .build = Form::Build::cuda,
                         .gpu = GpuKind::cuda,
                         .languages = {"cuda", "cu"},
                         .endings = {".cu"}};
  return form;
}

const Form& hip_form() {
  static const Form form{.title = "HIP",
                         .holds = Form::Holds::kernel,
                         .build = Form::Build::hip,
                         .gpu = GpuKind::hip,
                         .languages = {"hip"},
                         .endings = {".hip"}};
  return form;
}

const Form& library_form() {
  static const Form form{.title = "a shared library",
                         .holds = Form::Holds::kernel,
                         .runner = native_runner,
                         .endings = {".so"}};
  return form;
}

template <class List>
const Form* form_with(List Form::* list, std::string_view word) {
  for (const Form* form : forms())
    if (std::ranges::find(form->*list, word) != (form->*list).end()) return form;
  return nullptr;
}

}  // namespace

const Form& python_form() {
  static const Form form{.title = "Python",
                         .holds = Form::Holds::model,
                         .runner = python_runner,
                         .languages = {"python", "py", "python3"},
                         .endings = {".py"}};
  return form;
}

const Form& artifact_form() {
  static const Form form{
      .title = "what IREE compiled", .holds = Form::Holds::artifact, .runner = iree_runner};
  return form;
}

const Form& direct_form() {
  static const Form form{.title = "what IREE compiled, called without its runtime",
                         .holds = Form::Holds::artifact,
                         .runner = direct_runner};
  return form;
}

const Form* emulated_form(std::string_view name) {
  static const std::vector<Form> all = [] {
    std::vector<Form> made;
    for (const Emulator& emulator : emulators())
      made.push_back({.title = "what IREE compiled, called by an emulator",
                      .holds = Form::Holds::artifact,
                      .runner = emulator.runner});
    return made;
  }();
  const Emulator* emulator = find_row(emulators(), name);
  return emulator == nullptr ? nullptr : &all[static_cast<size_t>(emulator - emulators().data())];
}

const Form& c_form() {
  static const Form form{.title = "C",
                         .holds = Form::Holds::kernel,
                         .runner = native_runner,
                         .build = Form::Build::c,
                         .languages = {"c"},
                         .endings = {".c"}};
  return form;
}

const Form& cpp_form() {
  static const Form form{.title = "C++",
                         .holds = Form::Holds::kernel,
                         .runner = native_runner,
                         .build = Form::Build::cpp,
                         .languages = {"cpp", "c++", "cc", "cxx"},
                         .endings = {".cc", ".cpp"}};
  return form;
}

std::span<const Form* const> forms() {
  static const std::vector<const Form*> all = with_added_rows<const Form*>(
      {&python_form(), &c_form(), &cpp_form(), &cuda_form(), &hip_form(), &library_form(),
       &artifact_form(), &direct_form()});
  return all;
}

const Form* form_of_language(std::string_view language) {
  return form_with(&Form::languages, language);
}

const Form* form_of_ending(std::string_view ending) { return form_with(&Form::endings, ending); }

std::string known_languages() {
  std::vector<std::string_view> known;
  for (const Form* form : forms())
    if (!form->languages.empty()) known.push_back(form->languages.front());
  std::string text;
  for (size_t i = 0; i < known.size(); ++i)
    text += (i == 0 ? "" : i + 1 < known.size() ? ", " : " or ") + std::string(known[i]);
  return text;
}

}  // namespace assay

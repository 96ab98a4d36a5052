// One implementation of one problem, as it is handed in.
#pragma once

#include <memory>
#include <string>

#include "author/form.h"
#include "base/words.h"
#include "model/words.h"

namespace assay {

// How the problem's own model is run, where that is the candidate.
enum class OwnModel {
  none,      // it is not
  as_it_is,  // by torch, line by line
  // By who compiles it in the process that calls it (python/assay_worker/compilers.py).
  inductor,
  xla,
  onnxruntime,
};

inline constexpr Word<OwnModel> kOwnModelWords[] = {{OwnModel::none, "none"},
                                                    {OwnModel::as_it_is, "as_it_is"},
                                                    {OwnModel::inductor, "inductor"},
                                                    {OwnModel::xla, "xla"},
                                                    {OwnModel::onnxruntime, "onnxruntime"}};

inline bool is_compiled(OwnModel how) { return how > OwnModel::as_it_is; }

struct Candidate {
  const Form* form = &python_form();
  int number = 1;  // several of one author are NAME, NAME__s2, ...
  OwnModel own_model = OwnModel::none;
  Route route = Route::torch;  // of an artifact: by which its program is exported
  std::string path{};          // of its file, absolute; "" where it is made of the problem's
  // Its code, where the file is not that itself, but an answer with code in it, or has many.
  std::shared_ptr<const std::string> code{};
  int line = 0;              // of the file, where that has many: the candidate's, from 1
  int number_there = 0;      // what `number` is where that file is given by itself; 0: the same
  std::string difficulty{};  // of its problem, as who collected it says; "": nothing is said
  std::string why_none{};  // why there is no code in it; it is a candidate all the same, and fails

  // What its code sees as its file's name, and messages call it.
  std::string shown_path() const { return line == 0 ? path : path + ":" + std::to_string(line); }
};

}  // namespace assay

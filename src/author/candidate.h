// One implementation of one problem, as it is handed in.
#pragma once

#include <memory>
#include <string>

namespace assay {

// In what form an implementation is handed in.
enum class CandidateKind {
  artifact,     // what the compile stage makes
  module,       // Python: Model of the problem itself, or ModelNew
  c_source,     // C that exports assay_kernel (include/assay/kernel.h)
  cc_source,    // C++ that does
  cuda_source,  // CUDA that does, for tensors in the memory of a device
  hip_source,   // HIP that does
  library,      // a shared library that does
};

// Who runs the problem's own model, where that is the candidate.
enum class OwnModel {
  none,  // it is not
  eager,
  inductor,  // torch.compile
};

constexpr bool is_source(CandidateKind kind) {
  return kind == CandidateKind::c_source || kind == CandidateKind::cc_source;
}

constexpr bool is_gpu_source(CandidateKind kind) {
  return kind == CandidateKind::cuda_source || kind == CandidateKind::hip_source;
}

// Whether it is run as a shared library, without Python.
constexpr bool is_native(CandidateKind kind) {
  return is_source(kind) || kind == CandidateKind::library;
}

struct Candidate {
  CandidateKind kind = CandidateKind::artifact;
  int number = 1;  // several of one author are NAME, NAME__s2, ...
  OwnModel own_model = OwnModel::none;
  std::string path{};  // of its file, absolute; "" where it is made of the problem's
  // Its code, where the file is not that itself, but an answer with code in it, or has many.
  std::shared_ptr<const std::string> code{};
  int line = 0;            // of the file, where that has many: the candidate's, from 1
  std::string why_none{};  // why there is no code in it; it is a candidate all the same, and fails

  // What its code sees as its file's name, and messages call it.
  std::string shown_path() const { return line == 0 ? path : path + ":" + std::to_string(line); }
};

}  // namespace assay

// Who makes implementations, and where they are. docs/hacking.md shows how to add one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"
#include "base/status.h"
#include "target/machine.h"
#include "target/target.h"

namespace assay {

enum class AuthorKind {
  eager,  // the problem's own Model, as torch runs it
  iree,   // the IREE compiler, from the exported program
  file,   // files from disk
};

struct Author {
  AuthorKind kind = AuthorKind::iree;
  std::string name;       // part of ids
  std::string reference;  // what names it on a command line
  std::string path;       // of kind file: a file or a folder, absolute
  int number = 1;         // of a single file: which candidate it is
};

// In what form an implementation is handed in.
enum class CandidateKind {
  artifact,  // what the compile stage makes
  module,    // a Python file: Model of the problem itself, or ModelNew
  source,    // C or C++ that exports assay_kernel (include/assay/kernel.h)
  library,   // a shared library that does
};

// Whether it is run as a shared library, without Python.
constexpr bool is_native(CandidateKind kind) {
  return kind == CandidateKind::source || kind == CandidateKind::library;
}

// One implementation of one problem.
struct Candidate {
  CandidateKind kind = CandidateKind::artifact;
  int number = 1;    // several of one author are NAME, NAME__s2, ...
  std::string path;  // of its file, absolute; "" where it is made of the problem's
};

// One line per author for people.
struct AuthorTitle {
  std::string_view name;
  std::string_view title;
};
std::span<const AuthorTitle> author_titles();

// "eager", "iree" or "file:PATH". Fails with the names there are, and where there is no such file.
Result<Author> find_author(const Disk& disk, const std::string& written);

// Whether this author can make something for the target, on this machine. What it can never serve
// is not planned, and is listed once as not applicable.
bool serves(const Author& author, const Target& target, const Machine& machine);

// The author's implementations of one problem, by number. Files of an author of kind file are
// matched by their stem, in the sub-folder of the problem's level if there is one, else in the
// folder itself; a single file for a `lone` problem need not match, and has the author's number
// whatever its name says, so that its id does not depend on what else is run. Fails on two files of
// one number.
Result<std::vector<Candidate>> candidates(const Disk& disk, const Author& author,
                                          const std::string& level, const std::string& problem,
                                          bool lone);

// The files in which candidates() looks for problems of the level, where the author has a folder.
Result<std::vector<std::string>> candidate_files(const Disk& disk, const Author& author,
                                                 const std::string& level);

}  // namespace assay

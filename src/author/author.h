// Who makes implementations, and where they are. docs/hacking.md shows how to add one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "author/candidate.h"
#include "base/disk.h"
#include "base/status.h"
#include "target/machine.h"
#include "target/target.h"

namespace assay {

enum class AuthorKind {
  eager,     // the problem's own Model, as torch runs it
  inductor,  // torch.compile, of the problem's own model
  iree,      // the IREE compiler, from the exported program
  file,      // files from disk
};

struct Author {
  AuthorKind kind = AuthorKind::iree;
  std::string name;           // part of ids
  std::string reference;      // what names it on a command line
  std::string path;           // of kind file: a file or a folder, absolute
  int number = 1;             // of a file with a single candidate: which it is
  std::optional<int> only{};  // of a file with many: this one alone
};

// One line per author for people.
struct AuthorTitle {
  std::string_view name;
  std::string_view title;
};
std::span<const AuthorTitle> author_titles();

// "eager", "inductor", "iree" or "file:PATH", and "file:PATH#3" for one of many in a file. Fails
// with the names there are, and where there is no such file. `option`: that it was written behind.
Result<Author> find_author(const Disk& disk, const std::string& written,
                           std::string_view option = "--by");

// The candidate of an author that runs each problem's own model; nothing: this one does not.
std::optional<Candidate> own_model_of(const Author& author);

// Whether this author can make something for the target, on this machine. What it can never serve
// is not planned, and is listed once as not applicable.
bool serves(const Author& author, const Target& target, const Machine& machine);

// Whether one candidate of an author that serves the target is for it: device code for a device,
// and everything else for a CPU. What there is no code in is for all: it fails.
bool is_for(const Candidate& candidate, const Target& target, const Disk& disk);

}  // namespace assay

// Who makes implementations, and where they are. docs/hacking.md shows how to add one.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "author/candidate.h"
#include "base/disk.h"
#include "base/status.h"
#include "compile/configuration.h"
#include "target/machine.h"
#include "target/target.h"

namespace assay {

struct AuthorType;

struct Author {
  const AuthorType* type = nullptr;
  std::string name;       // part of ids
  std::string reference;  // what names it on a command line
  std::string path{};     // of one that hands in files: a file, a folder or a pattern, absolute
  std::vector<std::string> files{};  // of a pattern: what it stands for
  int number = 1;                    // of a file with a single candidate: which it is
  std::optional<int> only{};         // of a file with many: this one alone
  // Of one that compiles by another compiler than the run's: where that is.
  std::string compiler{};
  // Of one that tells a compiler how: the first of these that is for a problem and a target.
  std::shared_ptr<const std::vector<Configuration>> configurations{};

  // "tiles_64x64_8x16x1" of iree@tiles_64x64_8x16x1; "": it has none.
  std::string configuration() const;
};

// A row for each. Nothing outside of this folder says the name of one.
struct AuthorType {
  // What is written for it: "eager"; "file:PATH", where something has to be named.
  std::string_view name;
  std::string_view title;  // for people
  // What it has for each problem: made of that itself. Nothing: it hands in files
  // (author/offers.h).
  std::optional<Candidate> own{};
  // Whether it can make something for the target, on this machine. What it can never serve is not
  // planned, and is listed once as not applicable.
  bool (*serves)(const Target& target, const Machine& machine) = nullptr;
  // What it needs of Python beside torch and numpy, as pip knows it.
  std::vector<std::string_view> packages{};
  // The author that a command line names, where `name` alone does not say it. `given`: what stands
  // behind the colon: of one that hands in files also one of these, without a candidate's number.
  Result<Author> (*find)(const Disk& disk, const std::string& written, const std::string& given,
                         std::string_view option) = nullptr;

  // What is taken where a command line names no author. It is in none of its attempts' ids.
  bool is_default = false;
  // What it is timed against where a command line names no baseline.
  bool is_default_baseline = false;

  bool hands_in_files() const { return !own; }
  // Whether its candidates are made by the compile stage.
  bool compiles() const { return own && own->form->is_artifact(); }
  // Whether it is for workloads that bring tests along, and for no others: their own code.
  bool is_of_tests = false;
  // Whether it takes part where candidates are run with tests.
  bool takes_tests() const { return is_of_tests || hands_in_files(); }
  // Whether it runs each problem's own model, as that is.
  bool runs_own_model() const { return own && own->own_model != OwnModel::none && !is_of_tests; }
};
std::span<const AuthorType> author_types();
// Of those that need a package of Python's.
std::vector<std::string_view> authors_with_package(std::string_view package);
// Of those for which something holds: `&AuthorType::compiles`.
std::vector<std::string> names_of_authors(bool (AuthorType::*holds)() const, bool is = true);

const AuthorType& default_author();
const AuthorType& default_baseline();

// "eager", "iree", "file:PATH", "file:PATH#3" for one of many in a file. Fails with the names there
// are, and where there is no such file. `option`: that it was written behind.
Result<Author> find_author(const Disk& disk, const std::string& written,
                           std::string_view option = "--by");

// What names it from wherever, as --by takes it; and one of its candidates alone.
std::string lasting_reference(const Author& author);
std::string lasting_reference(const Author& author, const Candidate& candidate);
// Whether what a record names is a candidate of this author's.
bool is_of(const Author& author, std::string_view reference);

// One whose candidates a program hands in one by one, each a file: as if a command line named that.
Author author_of_code(std::string name);

// One that tells the compiler this, named iree@NAME.
Author author_of_configuration(Configuration configuration);
// The same of what was tuned, which stands in the file `from`: for each problem and target its own.
Author author_of_tuned(std::vector<Configuration> configurations, const std::string& from);

bool serves(const Author& author, const Target& target, const Machine& machine);

// Whether what has the form is called on the card of this machine, which is the target.
bool is_called_on_card(const Form& form, const Target& target);

// Whether one candidate of an author that serves the target is for it: device code for a device,
// and everything else for a CPU. What there is no code in is for all: it fails.
bool is_for(const Candidate& candidate, const Target& target, const Disk& disk);

}  // namespace assay

// What an author hands in, and for which problem each candidate is.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "author/author.h"
#include "author/file_name.h"
#include "base/disk.h"

namespace assay {

// Of a problem, what its candidates go by.
struct ProblemName {
  std::string suite;
  std::string level;  // "": it lies in none
  std::string name;
  std::string shared_name{};         // "matmul": what is named so is for all that op:matmul makes
  std::string path{};                // of its file; "": it has none
  std::string own_code{};            // ProblemKey::own_code; "": it has none
  std::vector<std::string> asked{};  // what its suite has authors asked, each as ProblemKey::asked
  bool has_tests = false;            // then a folder may hold collections of answers, a pass each
};

// Of several files of results each is a pass over all problems.
struct PassOf {
  int number = 0;          // from 1; 0: nobody says, and the candidate's own number is that
  int of = 0;              // that there are; 0: nobody says
  bool is_repeat = false;  // its file answers the problem once more: it is a pass of nothing
};

// Reads an author's files when they are first asked for, each once. Files are looked for in the
// sub-folder of the problem's level if there is one, else in the author's folder itself. Of the
// results of a search it is the best kernel of each problem.
class Offers {
 public:
  // Both must outlive it.
  Offers(const Disk& disk, const Author& author) : disk_(disk), author_(author) {}

  // The author's candidates for one problem, by number: those with its own name, else those for its
  // operation. Where the problem is a `lone` one, files need not be named as it is: all of a
  // pattern are for it, and all of a folder that are not named as another problem is. A number at
  // the end of such a name is the candidate's, as far as it is free. A file of one candidate that
  // is given by itself has the author's number whatever its name says, so that its id does not
  // depend on what else is run. Fails on two of one number.
  // Named::only: of a folder or a pattern, no other files in any case.
  enum class Named { only, or_not };
  Result<std::vector<Candidate>> for_problem(const ProblemName& problem, bool lone,
                                             Named named = Named::or_not);

  // Of a candidate that for_problem() gave.
  PassOf pass_of(const Candidate& candidate) const;

  bool are_taken() const;  // some were for a problem
  // Those that were for none of the problems so far, as people call them.
  std::vector<std::string> left() const;
  // What stands in files of answers to kernels with tests and is no answer, each by its place.
  const std::vector<std::string>& odd() const { return odd_; }

 private:
  struct Offer {
    ProblemKey key;
    Candidate candidate;
    bool is_answer = false;    // its code has yet to be taken out of its file
    bool is_counted = false;   // a line without a number: its problem's lines are counted
    int pass = 0, passes = 1;  // of all, of which its file is one, from 0
    bool has_number = false;   // its name says it
    bool is_named = false;     // it is for the problem of its key, and for no lone one of another
    bool taken = false;
  };
  using Folder = std::vector<Offer>;

  void count_lines(std::vector<Offer*>& meant);
  static bool is_named_for(const Offer& offer, const ProblemName& problem, const std::string& name);
  Result<std::vector<Candidate>> take(Folder& offers, const ProblemName& problem,
                                      const std::string& name, bool lone);
  Status hand_in(Offer& offer) const;
  Status take_others(Folder& offers, const ProblemName& problem,
                     std::vector<Candidate>& found) const;
  bool may_be_for(const Offer& offer, const ProblemName& problem, bool some_are_named) const;
  bool is_problem(const std::string& path) const;
  bool is_another_problem(const std::string& name, const ProblemName& problem) const;
  Result<Folder*> folder_for(const std::string& level, bool takes_passes);
  Status read_passes(std::vector<std::string> paths, Folder& offers);
  Status read_file(const std::string& path, Folder& offers, bool passes_odd = false);
  Status read_best(const std::string& folder, const std::vector<std::string>& below,
                   Folder& offers) const;
  Status read_lines(const std::string& path, Folder& offers, bool passes_odd);
  void leave_out_sources(Folder& offers) const;

  const Disk& disk_;
  const Author& author_;
  std::map<std::string, Folder> folders_;  // by path; or the author's single file
  std::map<std::string, PassOf> passes_;   // by what candidates are called
  std::vector<std::string> odd_;
};

}  // namespace assay

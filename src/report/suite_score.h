// Kernels of suites that bring tests along, in the numbers of those suites: call accuracy, exec
// accuracy, pass@k, over all and by difficulty and category; and beside them assay's own.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/attempt.h"

namespace assay {

class RunReader;

// What an attempt's record says of its tests. Nothing: it could not be told here.
struct SuiteVerdict {
  const Attempt* attempt = nullptr;
  std::string format{}, difficulty{}, category{};  // "": it has none
  std::optional<bool> parses{}, call{}, exec{}, assay{};
  std::string why{};  // of what is not as it should be
};

// Whether it passes assay's own tests of a suite's kernel, which is as far as that goes where no
// device is.
bool passes_suite(const Attempt& attempt);

// Those of attempts that were run with tests; a suite's own kernel, "reference", is none of them.
std::vector<SuiteVerdict> suite_verdicts(const std::vector<Attempt>& attempts,
                                         bool with_reference = false);

// Of the answers that are counted so many are so.
struct SuiteRate {
  size_t count = 0, of = 0;
  double share() const {
    return of == 0 ? 0 : static_cast<double>(count) / static_cast<double>(of);
  }
};

struct SuitePassAt {
  size_t k = 1;
  double call = 0, exec = 0, assay = 0;  // means over kernels
};

struct SuiteScore {
  std::string author, target;
  std::string group;  // "" all of them; "difficulty 2", "category memory"
  size_t kernels = 0, answers = 0;
  SuiteRate call{}, exec{}, assay{};  // of what could be told
  size_t unverifiable = 0;            // answers of which it could not
  std::vector<SuitePassAt> at_k{};    // of what has several answers, 1 to as many as all have
};

// Of each author and target: over all, then by difficulty, then by category. `ks`: as scores_of(),
// and without them all from 1 on.
std::vector<SuiteScore> suite_scores(const std::vector<Attempt>& attempts,
                                     std::span<const size_t> ks = {});

// Answers of one pass, by the number that they were handed in with.
std::map<int, std::vector<const SuiteVerdict*>> by_pass(const std::vector<SuiteVerdict>& verdicts);

// The candidate's code as it was handed in; nothing where its file cannot be read, or is another
// one by now.
std::optional<std::string> code_of(const Attempt& attempt, RunReader* reader);

}  // namespace assay

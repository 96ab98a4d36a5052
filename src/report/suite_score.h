// Kernels of suites that bring tests along, in the numbers of those suites: call accuracy, exec
// accuracy, pass@k, over all and by difficulty and category; and beside them assay's own.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "model/attempt.h"

namespace assay {

class RunReader;

// What an attempt's record says of its tests. Nothing: it could not be told here.
struct SuiteVerdict {
  const Attempt* attempt = nullptr;
  std::string format{}, difficulty{}, category{};  // "": it has none
  std::optional<bool> parses{}, call{}, exec{}, assay{};
  std::string why{};  // of what is not as it should be
  int pass = 1;       // over the suite, from 1
  int passes = 0;     // that there are, whichever have answers; 0: nobody says
  // Its pass answers this kernel once more: a row of its own, and no pass.
  bool is_repeat = false;

  // Whether any number counts it. All views go by this: what is unverifiable here counts in none,
  // neither as right nor as wrong, although its tests may have run to their end.
  bool is_counted() const { return exec.has_value(); }
  // Whether assay's own number counts it: what could not be run under secret seeds is no less of
  // what the suite asks, and neither right nor wrong beyond that.
  bool is_told_by_assay() const { return is_counted() && assay.has_value(); }
  bool calls() const { return is_counted() && call.value_or(false); }
  bool executes() const { return exec.value_or(false); }
  bool is_right() const { return is_counted() && assay.value_or(false); }
};

// Whether it is at a kernel with tests.
bool is_of_suite(const Attempt& attempt);

// Whether it passes assay's own tests of a suite's kernel, which is as far as that goes where no
// device is.
bool passes_suite(const Attempt& attempt);

// Those of attempts that were run with tests; a suite's own kernel, "reference", is none of them.
std::vector<SuiteVerdict> suite_verdicts(const std::vector<Attempt>& attempts,
                                         bool with_reference = false);

// Of the answers that are counted so many are so.
struct SuiteRate {
  void add(bool is) {
    ++of;
    if (is) ++count;
  }
  size_t count = 0, of = 0;
  double share() const {
    return of == 0 ? 0 : static_cast<double>(count) / static_cast<double>(of);
  }
};

// pass@k, as geak-eval defines it: of k passes, drawn from all that there are, at least one is so.
// Means over the kernels that a pass has answers to. A kernel's passes without an answer to it are
// wrong; those whose answer is unverifiable here are left out, and so is a kernel that has no other
// answers. What a pass answers twice it has answered with the first.
struct SuitePassAt {
  size_t k = 1;
  double call = 0, exec = 0, assay = 0;
};

struct SuiteScore {
  std::string author, target;
  std::string group;  // "" all of them; "difficulty 2", "category memory"
  size_t kernels = 0, answers = 0;
  SuiteRate call{}, exec{}, assay{};  // of the answers that are counted
  size_t unverifiable = 0;            // those that are not
  size_t passes = 0;  // of the author: files of results, whichever kernels they have answers to
  std::vector<SuitePassAt> at_k{};  // of several passes, 1 to as many as there are
};

// Of each author and target: over all, then by difficulty, then by category. `ks`: as scores_of(),
// and without them all from 1 on.
std::vector<SuiteScore> suite_scores(const std::vector<Attempt>& attempts,
                                     std::span<const size_t> ks = {});

Json to_json(const SuiteScore& score);

// By pass. One of those that there are may have no answer.
std::map<int, std::vector<const SuiteVerdict*>> by_pass(const std::vector<SuiteVerdict>& verdicts);

// The candidate's code as it was handed in; "" where none was, or nobody reads. Fails, and names
// the file, where that can't be read any more or has other code by now: no run keeps it.
Result<std::string> code_of(const Attempt& attempt, RunReader* reader);

}  // namespace assay

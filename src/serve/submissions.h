// What was submitted in one session, and what of it is best. An outcome is that of one of many.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/attempt.h"
#include "model/search_node.h"

namespace assay {

// Of a comparison that is faster alone, and not as one of all submissions.
inline constexpr std::string_view kOneOfMany = "one-of-many";

struct Submission {
  int number = 0;  // from 1, in the order in which they were begun
  size_t problem = 0;
  std::string language{};
  std::shared_ptr<const std::string> code{};  // of the best of its problem; null of others
  NodeVerdict verdict{};                      // as if it were the only one
  bool counts = false;                        // it is right, and its results its own
};

class Submissions {
 public:
  // One is begun. Returns its number.
  int begin() { return ++begun_; }
  int begun() const { return begun_; }
  // Comparisons that the n-th is one of, each with so many baselines, as far as is known when it is
  // begun. Two at least: who is faster is always measured again.
  static size_t comparisons(int number, size_t baselines);

  // What became of one.
  void add(Submission submission, const Attempt& attempt);
  // Its times, where there are any: what is faster is so as one of all so far, by Holm's
  // correction.
  std::optional<Timing> timing(int number) const;
  // The best of a problem: right, and by the lower end of the interval. Null: there is none.
  const Submission* best(size_t problem) const;

 private:
  int begun_ = 0;
  std::vector<Submission> all_;
  std::vector<Attempt> compared_;  // of those that were timed, no more than their timing
};

}  // namespace assay

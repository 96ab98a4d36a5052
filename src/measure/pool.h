#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verify/reference.h"

namespace assay {

// The inputs that windows are given, with what is right for each. An entry is given to a process
// once at most, so that nothing that it keeps helps it; all launches of a measurement share them,
// since no process of one knows of another.
class Pool {
 public:
  // Keeps entries while they take so much: the first ones, and those that were asked for last.
  // Others are drawn and computed again when they are needed.
  Pool(Reference& reference, const RandomStream& random, uint64_t most_bytes)
      : reference_(reference), random_(random), most_bytes_(most_bytes) {}

  // What it takes to keep so many.
  static uint64_t bytes_of(const ProblemDescription& problem, uint64_t entries);

  // So many of the problem's own inputs, from one number on. What is not kept is made, much by one
  // question to the oracle. A finding where the problem has no result for them.
  Step<std::vector<size_t>> own(int first, int count);
  // Makes more of those that own() gives, from one number on, before they are asked for: some that
  // are missing, up to another, as long as all are kept. Returns how far it has come; as far as
  // before: no further.
  Step<int> draw_ahead(int first, int end);
  // Those of another family. Nothing: the problem itself has no result for them.
  Step<std::optional<size_t>> other(Family family, int number);
  std::string name(size_t entry) const { return reference_.draw_name(entries_[entry].ask); }

  // Writes the inputs of an entry to a slot of a candidate's memory, and poison to its outputs.
  Step<void> give(size_t entry, const RoundMemory& memory, size_t slot);
  // Holds what a call has left in the slot against what is right.
  Step<RoundResult> judge(size_t entry, const RoundMemory& memory, size_t slot);

  // What one call takes by the oracle's own clock, in the precision of the problem: a first guess,
  // by the first kFirst of the problem's own inputs.
  static constexpr int kFirst = 3;
  int64_t baseline_ns() const;
  // The least of all that were drawn: what it takes where nothing disturbs it.
  int64_t least_baseline_ns() const { return least_baseline_ns_; }
  // Of each result, and of each input that is changed, whether the first of the problem's own
  // inputs have different ones, by more than roundings. Also where nobody can say: they are not
  // kept.
  std::vector<bool> results_that_differ() const;

 private:
  struct Entry {
    Reference::Ask ask;
    Reference::Expected expected;
    std::optional<RoundMemory> memory;  // nothing: it is not kept
    bool is_spoilt = false;             // what is kept is not as it was expected
    // Results that were found to be right, of several programs: the same need no look.
    std::vector<std::vector<std::byte>> good;
  };
  // Memory for so many entries, in files that they share.
  Step<RoundMemory> block(int entries) const;
  // A new entry. Nothing: there is no result.
  Step<std::optional<size_t>> make(const Reference::Ask& ask);
  // From this number on of the problem's own: so many as are made at once, and no more than these.
  Step<int> make_several(int first, int most);
  // Several where that can be, else one. How many; 0: the problem has no result for the first.
  Step<int> make_some(int first, int most);
  // A new one, or one that was made before. Where it is.
  size_t keep(Entry entry);
  bool is_kept(int number) const;  // of the problem's own
  // How many of these are not kept, from the first one on.
  int missing(int first, int end) const;
  // Lets others go, the last ones first, where these do not fit.
  void make_room(int first, int count);
  // How many more fit, as far as one question goes.
  int room() const;
  uint64_t entry_bytes() const { return bytes_of(reference_.problem(), 1); }
  // Has the reference look at an entry, as it was expected.
  Step<void> bring(size_t entry);
  Poison poison_of(const Entry& entry) const;

  Reference& reference_;
  const RandomStream& random_;
  uint64_t most_bytes_, bytes_ = 0;
  std::deque<Entry> entries_;
  std::map<std::pair<Family, int>, size_t> places_;  // of entries, by what was asked for
  std::vector<double> baselines_ns_;                 // of the first
  int64_t least_baseline_ns_ = 0;
  std::optional<size_t> there_;  // whose numbers are in the reference's own memory
  // What entries that are computed one by one are kept in. Files of their own would come to more
  // than a process may have open.
  struct {
    std::optional<RoundMemory> block;
    size_t left = 0;
  } spare_;
  // Of the last entry that is not kept: what was found to be right.
  struct {
    std::optional<size_t> entry;
    std::vector<std::byte> left;
  } good_;
};

}  // namespace assay

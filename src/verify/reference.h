#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verify/chunks.h"
#include "verify/decide.h"
#include "verify/oracle.h"
#include "verify/poison.h"
#include "verify/product_check.h"
#include "verify/round_memory.h"
#include "verify/unaffected.h"
#include "verify/verify.h"

namespace assay {

// What is right for a problem, at one size of it and with the state that its oracle has now: draws
// inputs, has the oracle compute, and holds results against that. Calls no candidate.
class Reference {
 public:
  struct Context {
    const VerifyJob& job;
    const RandomStream& random;
    Oracle& oracle;
    Policy policy{};
    bool tells_likeness = true;  // of results for the problem's own inputs
  };

  // `chunks`: the oracle computes, and its results are compared, a few rows at a time.
  Reference(const Context& context, std::string size, std::optional<ChunkPlan> chunks,
            RoundMemory memory);

  // The inputs of one round.
  struct Ask {
    Family family = Family::own;
    int number = 0;  // of this family
    int attempt =
        0;  // of family integers: the larger, the smaller the numbers; of tiny: the larger
    // Of families `interior` and `touched`: the name of the draw that it resembles.
    std::optional<std::string> earlier{};
    FiniteChoice finite{};  // of family nonfinite
  };
  // The name of the draw that `ask` makes, which its seed and this name make again.
  std::string draw_name(const Ask& ask) const;

  // Inputs, by their places, that are not as the family has them: as the problem draws them itself,
  // or of numbers in its own range.
  struct Drawn {
    std::vector<size_t> own, within;
  };
  // What is known of a round before the candidate is called for it. The numbers are in memory().
  struct Expected {
    Ask ask;
    Drawn inputs;
    std::string skipped;  // why the problem itself has no result for these inputs; "": it has
    Computed computed;    // of all, or of the first chunk
    std::optional<Product> product;
    std::optional<SampledSums> sampled{};  // elements of its result, where that is sums
    // Judging has changed what memory() holds: to be expected again. Where there are chunks, it may
    // be judged again as it is: inputs are still there.
    bool is_spent = false;

    // Whether the candidate is to be called for it.
    bool is_to_be_judged() const {
      const bool whole = ask.family != Family::integers || computed.integers;
      return skipped.empty() && !computed.draws && whole;
    }
  };
  Step<Expected> expect(const Ask& ask);
  // The same for several draws of the problem's own, each in a slot of this memory: the oracle is
  // asked once. Not where its results are made of picks, or it computes in chunks.
  bool may_expect_several() const;
  // Else its results are at the problem's precision alone.
  bool computes_in_double() const { return !is_probed(product_); }
  Step<std::vector<Expected>> expect_several(std::span<const Ask> asks, const RoundMemory& memory);

  // How many of so many elements of an input, which are drawn, make a difference to some result
  // when each is changed by itself. Of a floating input with elements, where several may be
  // expected. The problem's failure with such an input is an error as any.
  Step<int> count_telling(size_t input, int tries, const RandomStream& stream);

  // From now on memory() is this one, laid out for the whole problem, and it may be that of which
  // expect_several() has filled a slot. Null: the one that it was made with.
  void look_at(const RoundMemory* memory) { memory_ = memory ? memory : own_memory_.get(); }

  // Holds the results in memory() against what was expected last. `stream`: for what is drawn in
  // order to judge. Where there are chunks, `expected` learns of the others.
  Step<RoundResult> judge(Expected& expected, const Poison& poison, const RandomStream& stream);
  // The results in memory(), to tell whether others are the same.
  std::vector<std::string> digests() const;

  const RoundMemory& memory() const { return *memory_; }
  const ProblemDescription& problem() const { return context_.oracle.description(); }
  const std::string& size() const { return size_; }
  const std::optional<ChunkPlan>& chunks() const { return chunks_; }

 private:
  // Of inputs that get_inputs() computes: tensors, counted among the inputs' tensors, that come
  // from the same draws.
  struct InputGroup {
    std::vector<size_t> tensors;
  };
  enum class GroupDraw { free, within, own };
  // Before the first round of a family that needs them.
  Step<void> find_groups(Family family);
  Step<GroupDraw> draw_group(const InputGroup& group, const FamilyFill& how,
                             const RandomStream& stream, const SharedTensors& own,
                             const SharedTensors& drawn) const;
  Step<Drawn> draw(const Ask& ask, const RoundMemory& memory) const;
  Step<Drawn> draw_touched(const Ask& ask, const RoundMemory& memory) const;
  Step<Computed> compute(const RoundMemory& memory, bool integers, const Chunk* chunk,
                         Oracle::Computation::Spread spread = {}) const;
  // By algorithms for products and convolutions. Those of `op:` are looked at by themselves.
  bool may_be_mixed(const Ask& ask) const {
    return ask.family == Family::nonfinite && problem().mixes && !product_;
  }
  Step<void> confirm_chunks(const Chunk& first) const;
  // The product that the inputs in `memory` make, where the problem is one.
  std::optional<Product> product_in(const RoundMemory& memory) const;
  // The sums that its result is of, where it is known to be some.
  std::optional<Sums> sums_in(const RoundMemory& memory) const;
  // Which elements are worked out follows from the draw, which nobody else knows.
  RandomStream samples_of(const Ask& ask) const;
  // What is known of inputs before a candidate is called.
  void add_rules(const RoundMemory& memory, Expected& expected) const;
  // What is known of its result without another one to compare it with.
  struct Rules {
    std::optional<ProductRound> product;
    std::optional<SumRound> sums;
  };
  Round unjudged_round(const Ask& ask, const Poison& poison,
                       const std::vector<JudgedResult>& judged) const;
  void compare_all(const std::vector<JudgedResult>& judged, const Computed& computed,
                   const Rules& rules, Round& round) const;
  void judge_order(const Leaf& leaf, const Computed& computed, size_t& picks,
                   OutputFigures& output) const;
  Step<void> compare_chunks(const std::vector<JudgedResult>& judged, Expected& expected,
                            bool first_is_there, Round& round) const;
  // Of what is judged at once.
  Step<void> find_sensitivity(const Ask& ask, const std::optional<ProductRound>& product,
                              Round& round) const;
  Step<bool> find_unaffected(const Ask& ask, Round& round) const;
  Step<bool> find_mixed(const Ask& ask, const std::vector<JudgedResult>& judged,
                        Round& round) const;
  Step<void> take_mixed_chunk(const Chunk& chunk, const std::vector<JudgedResult>& judged,
                              const std::vector<Values>& pieces, Round& round) const;
  Step<bool> take_unaffected(Ask ask, const Round& round, std::vector<uint64_t>& taken) const;
  Step<bool> find_jumps(const Ask& ask, int turn, Round& round) const;
  Step<RoundMemory> moved_inputs(const Ask& ask, int pattern, double steps) const;
  Step<std::optional<RoundMemory>> moved_results(const Ask& ask, int pattern, double steps) const;
  Step<RoundMemory> shaken(const Ask& ask, int n, double times) const;
  Sensitivity moved_to(const RoundMemory& other, size_t output, const OutputFigures& judged) const;
  Step<void> find_sensitivity_in_chunks(const Ask& ask, Round& round) const;

  Context context_;
  std::string size_;
  std::optional<ChunkPlan> chunks_;
  std::unique_ptr<const RoundMemory> own_memory_;
  const RoundMemory* memory_;
  std::optional<ProductShape> product_;
  std::optional<SumShape> sum_;
  std::optional<std::vector<InputGroup>> groups_;  // once find_groups() has looked
  bool chunks_confirmed_ = false;
};

}  // namespace assay

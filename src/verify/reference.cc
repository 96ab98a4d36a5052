#include "verify/reference.h"

#include <algorithm>
#include <utility>

#include "verify/jumps.h"
#include "verify/same_bits.h"

namespace assay {
namespace {

// What lies a rounding from a jump stays where it is in every direction in which it moves alike
// with what it is compared with: a number and its row's largest, say, do in half of them. Of
// thousands of calls that are timed, a few dozen have such an element.
constexpr int kJumpTurns = 7;

// Few whole numbers are not what they should be, and nothing else is.
bool may_jump_elsewhere(const RoundResult& result, const Round& round) {
  return !round.integers_proven &&
         std::ranges::all_of(result.complaints, [&](const Complaint& complaint) {
           const OutputFigures& output = round.outputs[complaint.output];
           const Figures& figures = output.figures;
           return complaint.rule == Rule::wrong && !output.picks && !is_floating(figures.dtype) &&
                  figures.unequal <= most_jumps(figures.elements);
         });
}

// Most of it is off by a good part of itself, as where subnormal numbers are taken as 0. Of who
// does so by design that is excused (findings.cc), and need not be looked at any closer.
bool is_flushed(const OutputFigures& output) {
  return 2 * output.figures.gross > output.figures.compared;
}

}  // namespace

Reference::Reference(const Context& context, std::string size, std::optional<ChunkPlan> chunks,
                     RoundMemory memory)
    : context_(context),
      size_(std::move(size)),
      chunks_(std::move(chunks)),
      own_memory_(std::make_unique<const RoundMemory>(std::move(memory))),
      memory_(own_memory_.get()),
      product_(product_of(context.job.product, context.oracle.description())),
      sum_(sums_of(context.job.sum, context.oracle.description())) {}

std::optional<Product> Reference::product_in(const RoundMemory& memory) const {
  if (!product_) return std::nullopt;
  return Product{*product_, memory.input(0).data(), memory.input(1).data()};
}

std::optional<Sums> Reference::sums_in(const RoundMemory& memory) const {
  if (const auto product = product_in(memory)) return sums_of(*product);
  if (!sum_) return std::nullopt;
  const std::byte* b = sum_->b.empty() ? nullptr : memory.input(1).data();
  return Sums{*sum_, memory.input(0).data(), b};
}

RandomStream Reference::samples_of(const Ask& ask) const {
  return context_.random.named(draw_name(ask)).named("sums");
}

void Reference::add_rules(const RoundMemory& memory, Expected& expected) const {
  expected.product = product_in(memory);
  // Where there are chunks, results are compared with what is right, and with nothing else.
  const auto sums = chunks_ ? std::nullopt : sums_in(memory);
  if (sums) expected.sampled = sample_sums(*sums, samples_of(expected.ask));
}

// Has the oracle compute everything, or one chunk.
Step<Computed> Reference::compute(const RoundMemory& memory, bool integers, const Chunk* chunk,
                                  Oracle::Computation::Spread spread) const {
  Oracle::Computation what = memory.computation(problem());
  what.integers = integers && !product_;  // which has a proof of its own
  what.in_double = computes_in_double();
  what.spread = spread;
  if (!chunk) return context_.oracle.compute(what);
  ProblemDescription part = part_of(problem(), *chunks_, chunk->rows);
  what.inputs = inputs_of(std::move(what.inputs), problem(), *chunks_, *chunk);
  what.part = &part;
  return context_.oracle.compute(what);
}

Step<Reference::Expected> Reference::expect(const Ask& ask) {
  ASSAY_TRY(find_groups(ask.family));
  Expected expected;
  expected.ask = ask;
  ASSAY_ASSIGN(expected.inputs, draw(ask, *memory_));
  const bool integers = ask.family == Family::integers;
  std::vector<Chunk> chunks;
  if (chunks_) chunks = chunks_of(*chunks_);
  if (!chunks.empty() && !chunks_confirmed_) {
    ASSAY_TRY(confirm_chunks(chunks[0]));
    chunks_confirmed_ = true;
  }
  auto answer = compute(*memory_, integers, chunks.empty() ? nullptr : chunks.data());
  if (!answer) {
    // Of its own inputs a problem must have a result; other families may be none of its business.
    auto* record = std::get_if<StageRecord>(&answer.error().why);
    bool raised = record && record->failure == FailureClass::exception;
    if (!raised || ask.family == Family::own) return std::unexpected(std::move(answer.error()));
    expected.skipped = record->error;
    return expected;
  }
  expected.computed = std::move(*answer);
  expected.computed.baseline_ns *= static_cast<int64_t>(std::max<size_t>(chunks.size(), 1));
  add_rules(*memory_, expected);
  if (integers && expected.product) {
    Computed& computed = expected.computed;
    computed.not_integers = why_not_exact(*expected.product);
    computed.integers = computed.not_integers.empty();
    computed.too_large = !computed.integers;
  }
  return expected;
}

Step<RoundResult> Reference::judge(Expected& expected, const Poison& poison,
                                   const RandomStream& stream) {
  const Ask& ask = expected.ask;
  std::vector<JudgedResult> judged = judged_results(problem(), *memory_);
  Rules rules;
  if (expected.sampled && expected.product)
    rules.product = {.product = *expected.product,
                     .sampled = &*expected.sampled,
                     .samples = samples_of(ask),
                     .stream = stream.named("product"),
                     .family = ask.family,
                     .threads = context_.job.threads,
                     .probed = is_probed(product_),
                     .integers_proven = ask.family == Family::integers};
  else if (expected.sampled)
    rules.sums = {terms_of(*sum_), &*expected.sampled, ask.family};
  Round round = unjudged_round(ask, poison, judged);
  const bool first_is_there = !std::exchange(expected.is_spent, chunks_.has_value());
  if (chunks_)
    ASSAY_TRY(compare_chunks(judged, expected, first_is_there, round));
  else
    compare_all(judged, expected.computed, rules, round);
  round.integers_proven = expected.computed.integers;
  round.computed_on = expected.computed.computed_on;
  RoundResult result = judge_round(round, context_.policy);
  if (ask.family == Family::denormal && context_.job.flushes_denormals() &&
      std::ranges::any_of(round.outputs, is_flushed))
    return result;
  const bool is_all_at_once = !chunks_ && !rules.product;
  auto lacks_nan = [](const OutputFigures& output) { return output.figures.dropped > 0; };
  if (is_all_at_once && ask.family == Family::nonfinite &&
      std::ranges::any_of(round.outputs, lacks_nan)) {
    ASSAY_ASSIGN(bool are_some, find_unaffected(ask, round));
    expected.is_spent = true;
    if (are_some) {
      compare_all(judged, expected.computed, rules, round);
      result = judge_round(round, context_.policy);
    }
  }
  if (!chunks_ && may_be_mixed(ask) && !result.complaints.empty()) {
    ASSAY_ASSIGN(bool are_some, find_mixed(ask, judged, round));
    expected.is_spent = true;
    if (are_some) {
      compare_all(judged, expected.computed, rules, round);
      result = judge_round(round, context_.policy);
    }
  }
  if (std::ranges::any_of(result.complaints, &Complaint::sensitivity_may_excuse)) {
    ASSAY_TRY(chunks_ ? find_sensitivity_in_chunks(ask, round)
                      : find_sensitivity(ask, rules.product, round));
    result = judge_round(round, context_.policy);
  }
  if (!is_all_at_once || result.complaints.empty()) return result;
  const std::vector<OutputFigures> first_figures = round.outputs;
  for (int turn = 0; turn < kJumpTurns && !result.complaints.empty(); ++turn) {
    if (turn > 0 && !may_jump_elsewhere(result, round)) break;
    ASSAY_ASSIGN(bool jumps, find_jumps(ask, turn, round));
    expected.is_spent = true;
    if (!jumps) continue;
    compare_all(judged, expected.computed, rules, round);
    // The baseline's are those against the exact result as it was.
    for (size_t i = 0; i < first_figures.size(); ++i)
      keep_baseline(first_figures[i].figures, round.outputs[i].figures);
    result = judge_round(round, context_.policy);
  }
  return result;
}

std::vector<std::string> Reference::digests() const {
  std::vector<std::string> digests;
  for (const JudgedResult& result : judged_results(problem(), *memory_))
    digests.push_back(digest(result.spec.dtype, result.spec.elements(), result.candidate.data()));
  return digests;
}

}  // namespace assay

#include <utility>

#include "run/outcome.h"
#include "verify/decide.h"

namespace assay {

std::string_view meaning_of(Rule rule) {
  switch (rule) {
    case Rule::shape:
      return "an output has another shape, or there are more or fewer";
    case Rule::dtype:
      return "an output has another type";
    case Rule::aliased:
      return "an output shares memory with an input, and the problem's does not";
    case Rule::out_of_bounds:
      return "it wrote around a tensor";
    case Rule::input_changed:
      return "it writes to an input that the problem leaves alone";
    case Rule::unwritten:
      return "elements of an output hold what was there before";
    case Rule::non_finite:
      return "NaN or infinity stand where the exact result is finite, or the other way round";
    case Rule::wrong:
      return "it computes something else";
    case Rule::precision:
      return "it computes this with fewer bits than it was asked to, or unstably";
    case Rule::nondeterministic:
      return "the same input gave a good result in one process and a bad one in another";
    case Rule::race:
      return "two of its threads touch memory without order between them (--sanitize)";
    case Rule::unsanitized:
      return "with a sanitizer it does not build or run, and without it does (--sanitize)";
  }
  return "";
}

StageRecord rejected(Rule rule, std::string why) {
  return rejected_stage(Stage::verify, to_word(kRuleWords, rule), std::move(why));
}

}  // namespace assay

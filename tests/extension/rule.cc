// A rule of nobody's: it is against whoever is timed beside what triples.
#include "judge/rule.h"

#include "base/rows.h"

namespace assay {
namespace {

std::optional<std::string> is_beside_what_triples(const SpeedComparison& comparison) {
  if (comparison.duel.baseline != "tripler") return std::nullopt;
  return "it was timed against what triples";
}

const SpeedRule kTripled{"tripled", "it is timed against what triples", Effect::reject,
                         is_beside_what_triples};
const AddedRow<const SpeedRule*> kRow(&kTripled);

}  // namespace
}  // namespace assay

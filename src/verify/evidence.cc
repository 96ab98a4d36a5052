#include "verify/evidence.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "verify/elements.h"

namespace assay {

Json json_number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

std::string place(const std::vector<int64_t>& shape, uint64_t flat) {
  return fmt::format("[{}]", fmt::join(multi_index(shape, flat), ", "));
}

Json to_json(const Sample& sample, const std::vector<int64_t>& shape) {
  return {{"index", multi_index(shape, sample.index)},
          {"candidate", json_number(sample.candidate)},
          {"baseline", json_number(sample.baseline)},
          {"exact", json_number(sample.exact)}};
}

Json limits_in_json(const Policy& limits, bool by_tolerance) {
  if (by_tolerance) return {{"by_tolerance", true}};
  return {{"rms_good", limits.rms_good},
          {"rms_reduced", limits.rms_reduced},
          {"max_most", limits.max_most}};
}

Ratios exact_ratios(const ProductFigures& product, Measure measure) {
  return ratios(*product.exact, product.sensitivity.value_or(Sensitivity{}), measure);
}

namespace {

Json to_json(const Figures& figures, const Ratios& ratio) {
  return {{"elements", figures.elements},
          {"compared", figures.compared},
          {"left_out", figures.left_out},
          {"exact_rms", json_number(figures.exact_rms)},
          {"exact_max", json_number(figures.exact_max)},
          {"error_rms", json_number(figures.candidate_rms)},
          {"error_max", json_number(figures.candidate_max)},
          {"baseline_error_rms", json_number(figures.baseline_rms)},
          {"baseline_error_max", json_number(figures.baseline_max)},
          {"rms_ratio", json_number(ratio.rms)},
          {"max_ratio", json_number(ratio.max)}};
}

Json to_json(const BoundFigures& found, const std::vector<int64_t>& shape) {
  Json json = {{"elements", found.held},
               {"beyond", found.beyond},
               {"largest", json_number(found.part_of_bound)}};
  if (found.first_beyond) {
    json.update(to_json(*found.first_beyond, shape));
    json["bound"] = json_number(found.bound);
  }
  return json;
}

}  // namespace

Json to_json(const OutputFigures& output, const Ratios& ratio, Measure measure) {
  const Figures& figures = output.figures;
  Json json = {{"name", output.name}};
  json.update(to_json(figures, ratio));
  const bool is_probed = output.product && output.product->probed;
  json["checked_by"] = is_probed ? "probes" : "double";
  json["error_mean"] = is_probed ? Json() : json_number(figures.candidate_mean);
  json["nan"] = is_probed ? Json() : Json(figures.spread_nan);
  json["infinite"] = is_probed ? Json() : Json(figures.spread - figures.spread_nan);
  if (!is_floating(figures.dtype))  // right or wrong, and no errors in between
    json["rms_ratio"] = json["max_ratio"] = Json();
  json["unequal"] = figures.unequal;
  json["baseline_unequal"] = figures.baseline_unequal;
  json["jumps"] = output.jumps;
  json["unaffected"] = output.unaffected;
  json["mixed"] = output.mixed;
  json["gross"] = figures.gross;
  json["baseline_gross"] = figures.baseline_gross;
  json["beyond_kernelbench"] = figures.beyond_kernelbench;
  json["beyond_torch"] = figures.beyond_torch;
  if (output.bound) json["bound"] = to_json(*output.bound, output.shape);
  if (output.product && output.product->exact) {
    json["exact_part"] = to_json(*output.product->exact, exact_ratios(*output.product, measure));
    json["exact_part"]["rows"] = output.product->rows;
  }
  if (output.sensitivity)
    json["sensitivity"] = {{"rms", json_number(output.sensitivity->rms)},
                           {"max", json_number(output.sensitivity->max)},
                           {"baseline_rms", json_number(output.sensitivity->baseline_rms)},
                           {"baseline_max", json_number(output.sensitivity->baseline_max)},
                           {"gross", output.sensitivity->gross},
                           {"unequal", output.sensitivity->unequal}};
  if (output.likeness) json["likeness"] = to_json(*output.likeness);
  if (figures.compared > 0) json["worst"] = to_json(figures.worst, output.shape);
  return json;
}

}  // namespace assay

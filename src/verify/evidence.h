// What is written down of figures, and how numbers and places are said (docs/formats.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "verify/decide.h"

namespace assay {

// JSON has no number that is not finite: "nan", "inf", "-inf".
Json json_number(double value);

// An element, by its flat place: "[3, 0]".
std::string place(const std::vector<int64_t>& shape, uint64_t flat);

Json to_json(const Sample& sample, const std::vector<int64_t>& shape);
Json to_json(const OutputFigures& output, const Ratios& ratio, Measure measure);

// What error ratios a policy lets pass; or that it holds elements to a tolerance.
Json limits_in_json(const Policy& limits, bool by_tolerance);

// Of the elements that were worked out exactly.
Ratios exact_ratios(const ProductFigures& product, Measure measure);

}  // namespace assay

// Which products of a whole program take its time: what is worth a configuration of its own.
#pragma once

#include <string>
#include <vector>

#include "measure/call_parts.h"

namespace assay {

struct HotProduct {
  std::string sizes;  // "64x32x128", with a batch before them: Configuration::product
  std::string type;   // of the operands: "f32"
};

// Of the dispatches of a call, by their names, those that take most, the hottest first. Few, and
// none that hardly counts: each is searched by itself.
std::vector<HotProduct> hot_products(const CallParts& parts);

}  // namespace assay

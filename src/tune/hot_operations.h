// Which operations of a whole program take its time: what is worth a configuration of its own.
#pragma once

#include <string>
#include <vector>

#include "measure/call_parts.h"

namespace assay {

// A product or a convolution.
struct HotOperation {
  std::string sizes;  // "64x32x128": as Configuration::sizes has them
  std::string type;   // of the operands: "f32"
};

// Of the dispatches of a call, by their names, those that take most, the hottest first, and none
// that hardly counts. A convolution is one of a program with its channels first, as torch has them.
std::vector<HotOperation> hot_operations(const CallParts& parts);

}  // namespace assay

// The rows that the files of this folder bring.
#pragma once

#include "search/strategy.h"

namespace assay {

Strategy reflect_strategy();
Strategy best_of_strategy();
Strategy beam_strategy();

}  // namespace assay

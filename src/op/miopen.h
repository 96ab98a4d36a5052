// The command lines of MIOpenDriver, as its logs and the lists of AMD's tuners have them:
//   ./bin/MIOpenDriver convfp16 -n 16 -c 64 -H 56 -W 56 -k 64 -y 3 -x 3 -p 1 -q 1 -u 1 -v 1 -F 1
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace assay {

// One of them: "op:conv2d[...]", or "op:conv3d[...]" with `--spatial_dim 3`. Or else why assay
// makes no such operation: logs hold gradients and poolings, too.
struct MiopenCall {
  std::string operation{}, refused{};
};

// What concerns only how the driver measures is passed over. Fails on what is no such line.
Result<MiopenCall> read_miopen_line(std::string_view line);

}  // namespace assay

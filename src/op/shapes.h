// Files of shapes: `op:matmul[file=shapes.csv]`, and the sets that come with assay. By the ending:
//
//   .csv    a line of keys, then a line of values for each row; a column "op" names operations
//   .json   a list of objects {"m": 64, "n": 128}, or one of them on each line (.jsonl)
//   other   on each line op:NAME[...], or a call of MIOpenDriver for a convolution; # comments
//
// Values may be all that the grammar of `op:` has for them (expand.h), lists and ranges too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace assay {

struct ShapeLine {
  size_t number = 0;      // in the file, from 1
  std::string text;       // "op:conv2d[n=1,c=64]"; "op:[m=64]" where it names no operation
  std::string refused{};  // not "": why assay has no operation for it
};

// Fails on what is no such file, saying in which line, and on one without rows.
Result<std::vector<ShapeLine>> read_shape_lines(const std::string& name, std::string_view text);

}  // namespace assay

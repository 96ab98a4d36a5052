// The jails of gpu-probe's doctor, for other experiments.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "jail.h"
#include "judge.h"

namespace assay::gpu {

struct Level {
  std::string name;
  JailOptions jail;
};

// With a filter that refuses what assay's does; the strictest first.
std::vector<Level> filtered_levels();
// The strictest in which a card can be used; in plain words its name.
JailOptions full_jail(Judge& judge, std::string& name);
std::string counts_of(const std::map<std::string, int>& seen);

}  // namespace assay::gpu

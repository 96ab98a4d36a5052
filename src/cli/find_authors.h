#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "author/author.h"
#include "model/timing.h"

namespace assay {

// Authors as they are written behind an option, each once, and each with a name of its own.
Result<std::vector<Author>> find_authors(const std::vector<std::string>& written,
                                         std::string_view option);

// Those that are to be timed against, which the settings then name as they can be named from
// anywhere.
Result<std::vector<Author>> find_baselines(std::optional<TimingSettings>& timing);

}  // namespace assay

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "author/author.h"
#include "engine/request.h"

namespace assay {

// Authors as they are written behind an option, each once, and each with a name of its own.
Result<std::vector<Author>> find_authors(const std::vector<std::string>& written,
                                         std::string_view option);

// Those that the request's settings name to time against.
Status add_baselines(Request& request);

}  // namespace assay

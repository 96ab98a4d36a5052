#pragma once

#include <string>
#include <vector>

#include "author/author.h"
#include "engine/request.h"

namespace assay {

// Authors as they are written on a command line, each once, and each with a name of its own.
Result<std::vector<Author>> find_authors(const std::vector<std::string>& written);

// Those that the request's settings name to time against. Fails on who cannot be timed against.
Status add_baselines(Request& request);

}  // namespace assay

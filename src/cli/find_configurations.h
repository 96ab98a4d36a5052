// Authors that tell IREE how, as a command line names them: --configs and --tuned.
#pragma once

#include <vector>

#include "author/author.h"
#include "base/places.h"
#include "cli/command.h"
#include "target/target.h"

namespace assay {

// Of all sets that --configs names, what is for one of these targets. Each is an author.
Result<std::vector<Author>> find_configured_authors(const std::vector<std::string>& names,
                                                    const Places& places,
                                                    const std::vector<Target>& targets);

// Of a file that `assay tune` wrote. What was tuned with another compiler, or on another CPU, is
// left out.
Result<Author> find_tuned_author(const std::string& path, const Places& places);

}  // namespace assay

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

// Of a file that `assay tune` wrote. What was tuned with another compiler than the one that will
// compile, or on another CPU, is left out. `iree`: the user's own build; "" for the installed one.
Result<Author> find_tuned_author(const std::string& path, const Places& places,
                                 const std::string& iree, CompilerKind kind);

}  // namespace assay

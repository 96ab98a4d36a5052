// The table of what `assay list` lists.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/places.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/output.h"

namespace assay {

struct ListKind {
  std::string_view name;
  std::string_view title;
  // All of them, or the one of this name. Gives the exit status.
  Result<int> (*list)(const Places& places, const std::string& name, const Arguments& arguments,
                      Output& output);
  Proposals (*propose)();
};
std::span<const ListKind> list_kinds();

}  // namespace assay

// Who makes implementations. One entry each in author.cc; docs/hacking.md shows how to add one.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "target/target.h"

namespace assay {

struct Author {
  std::string_view name;
  std::string_view title;  // one line for people
  // Whether this author can make something for the target at all. What it can never serve is not
  // planned, and is listed once as not applicable.
  bool (*serves)(const Target& target);
};

std::span<const Author> authors();

// Fails with the names there are.
Result<const Author*> find_author(const std::string& name);

}  // namespace assay

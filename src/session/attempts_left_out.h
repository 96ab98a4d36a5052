// Attempts of a plan that nobody makes.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "base/units.h"

namespace assay {

// Attempts that configurations are not for, all for one reason.
struct AttemptsLeftOut {
  size_t attempts = 0;
  std::vector<std::string> authors{};
  std::string first{};  // of the problems

  void add(const std::string& author, const std::string& problem) {
    if (attempts++ == 0) first = problem;
    if (std::ranges::find(authors, author) == authors.end()) authors.push_back(author);
  }
  std::string in_words(const std::string& why) const {
    const std::string more =
        authors.size() > 1 ? fmt::format(" and {} more", authors.size() - 1) : "";
    return fmt::format("left out, {}: {} of {}{} (the first: {})", why,
                       format_count(attempts, "attempt"), authors.front(), more, first);
  }
};

}  // namespace assay

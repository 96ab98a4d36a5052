// Which configurations of a space are tried, one after the other. A row for each way of searching.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compile/configuration.h"

namespace assay {

struct SearcherSetting {
  const std::vector<Configuration>& points;  // outlives the searcher
  uint64_t seed = 0;
  std::string python{}, guide{};  // the interpreter, and python/assay_worker/guide.py
};

class Searcher {
 public:
  virtual ~Searcher() = default;
  // Up to so many points, by their places, that nobody was told of; none: all were tried.
  virtual Result<std::vector<size_t>> ask(size_t count) = 0;
  // What has come of one, asked for or not. Nothing: it failed.
  virtual Status tell(size_t point, std::optional<double> ns) = 0;
};

struct SearcherType;
// Searches these places of the space alone; it is told of others in vain.
Result<std::unique_ptr<Searcher>> open_part(const SearcherType& type,
                                            const SearcherSetting& setting,
                                            std::vector<size_t> part);

struct SearcherType {
  std::string_view name, title;
  Result<std::unique_ptr<Searcher>> (*open)(const SearcherSetting& setting) = nullptr;
};
std::span<const SearcherType> searchers();

SearcherType random_searcher();
SearcherType grid_searcher();
SearcherType guided_searcher();

}  // namespace assay

#include "tune/searcher.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <utility>

#include "base/rows.h"

namespace assay {
namespace {

// All points in an order that was fixed before.
class InOrder final : public Searcher {
 public:
  explicit InOrder(std::vector<size_t> order) : order_(std::move(order)), known_(order_.size()) {}

  Result<std::vector<size_t>> ask(size_t count) override {
    std::vector<size_t> points;
    for (; next_ < order_.size() && points.size() < count; ++next_)
      if (!known_[order_[next_]]) points.push_back(order_[next_]);
    return points;
  }
  Status tell(size_t point, std::optional<double>) override {
    known_[point] = true;
    return {};
  }

 private:
  std::vector<size_t> order_;
  std::vector<bool> known_;  // by point
  size_t next_ = 0;
};

class Part final : public Searcher {
 public:
  Part(const std::vector<Configuration>& points, std::vector<size_t> part)
      : part_(std::move(part)) {
    for (size_t i = 0; i < part_.size(); ++i) {
      points_.push_back(points[part_[i]]);
      places_[part_[i]] = i;
    }
  }

  Status open(const SearcherType& type, const SearcherSetting& setting) {
    ASSAY_ASSIGN(searcher_, type.open({.points = points_,
                                       .seed = setting.seed,
                                       .python = setting.python,
                                       .guide = setting.guide}));
    return {};
  }

  Result<std::vector<size_t>> ask(size_t count) override {
    ASSAY_ASSIGN(std::vector<size_t> points, searcher_->ask(count));
    for (size_t& point : points) point = part_.at(point);
    return points;
  }
  Status tell(size_t point, std::optional<double> ns) override {
    const auto place = places_.find(point);
    return place == places_.end() ? Status() : searcher_->tell(place->second, ns);
  }

 private:
  const std::vector<size_t> part_;  // of the space
  std::vector<Configuration> points_;
  std::map<size_t, size_t> places_;  // in the part, by that in the space
  std::unique_ptr<Searcher> searcher_;
};

std::vector<size_t> places(size_t count) {
  std::vector<size_t> all(count);
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

}  // namespace

std::span<const SearcherType> searchers() {
  static const std::vector<SearcherType> all =
      with_added_rows<SearcherType>({guided_searcher(), random_searcher(), grid_searcher()});
  return all;
}

Result<std::unique_ptr<Searcher>> open_part(const SearcherType& type,
                                            const SearcherSetting& setting,
                                            std::vector<size_t> part) {
  auto searcher = std::make_unique<Part>(setting.points, std::move(part));
  ASSAY_TRY(searcher->open(type, setting));
  return searcher;
}

SearcherType random_searcher() {
  return {"random", "any of the space, each as likely",
          [](const SearcherSetting& setting) -> Result<std::unique_ptr<Searcher>> {
            std::vector<size_t> order = places(setting.points.size());
            std::mt19937_64 random(setting.seed);
            // std::shuffle() differs between libraries.
            for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
            return std::make_unique<InOrder>(std::move(order));
          }};
}

SearcherType grid_searcher() {
  return {"grid", "all of the space, in its order",
          [](const SearcherSetting& setting) -> Result<std::unique_ptr<Searcher>> {
            return std::make_unique<InOrder>(places(setting.points.size()));
          }};
}

}  // namespace assay

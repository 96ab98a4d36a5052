// Attempts of a search that are to be made, or are under way.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/lane.h"
#include "tune/subject.h"

namespace assay {

// What an attempt that is under way is for.
struct AtWork {
  enum class What { look, compile, attempt, again, judge };
  What what = What::compile;
  std::optional<size_t> point{};  // none: the compiler's own choice
};

class TuneLanes {
 public:
  TuneLanes(const Request& request, const TuneTools& tools) : request_(request), tools_(tools) {}

  // An attempt for each of these points, in one lane. `comparisons`: of so many a point was picked,
  // of one that is to be judged.
  Status put(TuneSubject& subject, const std::vector<std::optional<size_t>>& points,
             AtWork::What what, const std::shared_ptr<const Terms>& terms, size_t comparisons);
  std::optional<Lane> next();
  // What an attempt that is over was for; nothing: it is none of these.
  std::optional<AtWork> take(const std::string& attempt);
  bool are_over() const { return lanes_.empty() && at_work_.empty(); }

 private:
  Lane lane_of(TuneSubject& subject, const std::optional<size_t>& point, AtWork::What what,
               const std::shared_ptr<const Terms>& terms) const;
  Result<std::shared_ptr<const Attempt>> accepted_before(const TuneSubject& subject,
                                                         const std::optional<size_t>& point,
                                                         const std::string& id) const;

  const Request& request_;
  const TuneTools& tools_;
  std::deque<Lane> lanes_;
  std::map<std::string, AtWork> at_work_;  // by the attempt's id
};

}  // namespace assay

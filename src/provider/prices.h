// What tokens cost.
#pragma once

#include <optional>
#include <string>

#include "base/disk.h"
#include "base/json.h"
#include "base/status.h"
#include "provider/provider.h"

namespace assay {

// US dollars, from a dated file with litellm's key names; the user's own file stands over it.
class Prices {
 public:
  // `shipped`: the folder that assay's own lie in. The user's is ~/.config/assay/prices.json.
  static Result<Prices> load(const Disk& disk, const std::string& shipped);

  // Nothing: the model has no price.
  std::optional<double> cost(const std::string& model, const Usage& usage) const;
  // What was used, for a run's record: the date of the file, and the rows of these models.
  Json snapshot(const std::string& model) const;

 private:
  Json rows_;
  std::string date_;
};

}  // namespace assay

// What tokens cost.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

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

  // Of a model without a price that is written down all the same: what is wrong with that; else "".
  std::string why_none(const std::string& model) const;
  // Nothing: the model has no price.
  std::optional<double> cost(const std::string& model, const Usage& usage) const;
  // What was used, for a run's record: {"date", "file", "model", "prices"}, where the last two are
  // null of a model without a price.
  Json snapshot(const std::string& model) const;

 private:
  struct Row {
    std::string name;  // as the file has it
    Json prices;
    std::string file;
  };
  const Row* find(const std::string& model) const;

  std::vector<Row> rows_;                     // the user's first
  std::map<std::string, std::string> wrong_;  // by the model's name: which price is none
  std::string date_;
};

}  // namespace assay

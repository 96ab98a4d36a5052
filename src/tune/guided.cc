// `guided`: optuna says what is tried next, in a process of its own (python/assay_worker/guide.py).
#include "run/line_process.h"
#include "tune/searcher.h"

namespace assay {
namespace {

class Guided final : public Searcher {
 public:
  explicit Guided(const SearcherSetting& setting)
      : process_({.python = setting.python,
                  .script = setting.guide,
                  .what = "what guides the search",
                  .mend = "`" + setting.python +
                          " -m pip install optuna` brings it, and --search random needs none"}) {}

  Status begin(const SearcherSetting& setting) {
    Json points = Json::array();
    for (const Configuration& each : setting.points) {
      Json values = Json::array();
      for (const auto& [name, value] : each.knobs) values.push_back({name, value});
      points.push_back({{"family", each.family()}, {"knobs", std::move(values)}});
    }
    return asked({{"points", std::move(points)}, {"seed", setting.seed}});
  }

  Result<std::vector<size_t>> ask(size_t count) override {
    ASSAY_ASSIGN(const Json answer, process_.ask({{"ask", count}}));
    JsonReader fields(answer, "what guide.py answered");
    std::vector<size_t> points;
    for (const Json& each : fields.value("points"))
      if (each.is_number_unsigned()) points.push_back(each.get<size_t>());
    ASSAY_TRY(fields.status());
    return points;
  }

  Status tell(size_t point, std::optional<double> ns) override {
    return asked({{"tell", point}, {"ns", ns ? Json(*ns) : Json()}});
  }

 private:
  Status asked(const Json& request) {
    ASSAY_ASSIGN(const Json answer, process_.ask(request));
    JsonReader fields(answer, "what guide.py answered");
    fields.boolean("ok");
    return fields.status();
  }

  LineProcess process_;
};

}  // namespace

SearcherType guided_searcher() {
  return {"guided", "where what was tried was fast, by optuna",
          [](const SearcherSetting& setting) -> Result<std::unique_ptr<Searcher>> {
            auto guided = std::make_unique<Guided>(setting);
            ASSAY_TRY(guided->begin(setting));
            return guided;
          }};
}

}  // namespace assay

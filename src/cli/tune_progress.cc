#include "cli/tune_progress.h"

#include <fmt/format.h>

#include <cmath>

#include "base/escape.h"
#include "base/units.h"

namespace assay {
namespace {

std::string time_in_words(double ns) { return format_duration(std::llround(ns)); }

std::string name_of(const TuneResult& result) {
  return printable(fmt::format("{} on {}", result.name, result.target), false);
}

class TuneLines final : public TuneEvents {
 public:
  explicit TuneLines(Output& output) : output_(output) {}

  void began(const TuneResult& result) override {
    output_.write(fmt::format("{}: {} to search, {} known\n", name_of(result),
                              format_count(result.space, "configuration"), result.tried));
  }
  void tried(const TuneResult& result, const std::string& configuration, std::optional<double> ns,
             const std::string& why_none) override {
    std::string words = ns ? time_in_words(*ns) : why_none.empty() ? "compiled" : "failed";
    if (!why_none.empty()) words += " (" + printable(why_none.substr(0, 160), false) + ")";
    output_.write(fmt::format("[{}/{}] {}  {}\n", result.tried, result.space,
                              printable(configuration, false), words));
  }
  void left_out(const TuneResult& result, const std::string& family) override {
    output_.write(fmt::format("{}: {} left out, since the compiler takes up none of them\n",
                              name_of(result), printable(family, false)));
  }
  void again(const TuneResult& result, size_t finalists) override {
    output_.write(
        fmt::format("{}: the compiler's own choice takes {}; the fastest {} are timed in "
                    "turn with it\n",
                    name_of(result), time_in_words(result.default_ns), finalists));
  }
  void judges(const TuneResult& result, const std::string& configuration) override {
    output_.write(fmt::format("{}: {} is judged against the compiler's own choice\n",
                              name_of(result), printable(configuration, false)));
  }
  void ended(const TuneResult& result) override { output_.write(in_words(result)); }

 private:
  Output& output_;
};

class TuneJson final : public TuneEvents {
 public:
  explicit TuneJson(Output& output) : output_(output) {}

  void began(const TuneResult& result) override { write("began", result, {}); }
  void tried(const TuneResult& result, const std::string& configuration, std::optional<double> ns,
             const std::string& why_none) override {
    write("tried", result,
          {{"configuration", configuration}, {"ns", or_null(ns)}, {"why_none", why_none}});
  }
  void left_out(const TuneResult& result, const std::string& family) override {
    write("left_out", result, {{"family", family}});
  }
  void again(const TuneResult& result, size_t finalists) override {
    write("again", result, {{"finalists", finalists}});
  }
  void judges(const TuneResult& result, const std::string& configuration) override {
    write("judges", result, {{"configuration", configuration}});
  }
  void ended(const TuneResult& result) override {
    Json more{{"winner", result.winner ? Json(result.winner->name) : Json()},
              {"why", result.why},
              {"best", or_null(result.best)},
              {"best_ns", result.best_ns},
              {"same", result.same},
              {"failed", result.failed}};
    if (result.judged)
      more["judged"] = {{"outcome", to_word(kOutcomeWords, result.judged->outcome)},
                        {"ratio", result.judged->ratio},
                        {"low", result.judged->low},
                        {"high", result.judged->high}};
    write("ended", result, more);
  }

 private:
  void write(const char* event, const TuneResult& result, const Json& more) {
    Json line{{"event", event},          {"workload", result.workload},
              {"target", result.target}, {"space", result.space},
              {"tried", result.tried},   {"default_ns", result.default_ns}};
    if (more.is_object()) line.update(more);
    output_.write(dump_json(line) + "\n");
  }

  Output& output_;
};

}  // namespace

std::string in_words(const TuneResult& result) {
  std::string text =
      fmt::format("{}: {} of {} tried, {} with the code of others, {} failed\n", name_of(result),
                  result.tried, result.space, result.same, result.failed);
  if (result.winner)
    return text + fmt::format(
                      "  {}: {:.3g}x ({:.3g} to {:.3g}) as fast as the compiler's own "
                      "choice\n",
                      printable(result.winner->name, false), result.judged->ratio,
                      result.judged->low, result.judged->high);
  text += "  " + printable(result.why, false);
  if (result.judged)
    text += fmt::format("; judged last: {:.3g}x ({:.3g} to {:.3g})", result.judged->ratio,
                        result.judged->low, result.judged->high);
  return text + "\n";
}

std::unique_ptr<TuneEvents> make_tune_progress(ProgressStyle style, Output& output) {
  switch (style) {
    case ProgressStyle::terminal:
    case ProgressStyle::lines:
      return std::make_unique<TuneLines>(output);
    case ProgressStyle::json:
      return std::make_unique<TuneJson>(output);
    case ProgressStyle::quiet:
      break;
  }
  return std::make_unique<TuneEvents>();
}

}  // namespace assay

#include "cli/write_progress.h"

#include <fmt/format.h>

#include "base/escape.h"
#include "search/answer_files.h"

namespace assay {
namespace {

std::string name_of(const SearchView& search) { return printable(search.tree.problem(), false); }

// "draft 1, sample 2".
std::string which(const SearchNode& node) {
  return fmt::format("attempt {} sample {} ({})", node.attempt, node.sample,
                     to_word(kSearchStepWords, node.step));
}

std::string in_words(const NodeVerdict& verdict) {
  std::string words(to_word(kVerdictWords, verdict.verdict));
  if (verdict.verdict == Verdict::compiled && !verdict.reached.empty()) words = verdict.reached;
  if (!verdict.reason.empty()) words += " (" + printable(verdict.reason, false) + ")";
  if (verdict.outcome)
    words = fmt::format("{}: {} {:.3g}x ({:.3g} to {:.3g})", words,
                        to_word(kOutcomeWords, *verdict.outcome), verdict.ratio, verdict.low,
                        verdict.high);
  for (const std::string& label : verdict.labels) words += ", " + label;
  if (verdict.same_as != 0) words += fmt::format(", the same code as answer {}", verdict.same_as);
  return words;
}

class WriteLines : public WriteEvents {
 public:
  WriteLines(Output& output, size_t searches) : output_(output), searches_(searches) {}

  void judged(const SearchView& search, const SearchNode& node, bool confirmed) override {
    clear();
    const NodeVerdict& verdict = confirmed ? *node.confirmed : *node.verdict;
    output_.write(fmt::format("[{}/{}] {}  {}{}: {}\n", ended_, searches_, name_of(search),
                              which(node), confirmed ? ", once more" : "", in_words(verdict)));
    show();
  }
  void ended(const SearchView& search, SearchStatus status, const std::string& why) override {
    clear();
    ++ended_;
    output_.write(fmt::format("[{}/{}] {}  {}: {}\n", ended_, searches_, name_of(search),
                              to_word(kSearchStatusWords, status), printable(why, false)));
    show();
  }
  void asked(const SearchView&, const SearchNode&) override {
    ++under_way_;
    show();
  }
  void answered(const SearchView&, const SearchNode&) override {
    --under_way_;
    show();
  }

 protected:
  virtual void clear() {}
  virtual void show() {}

  Output& output_;
  const size_t searches_;
  size_t ended_ = 0, under_way_ = 0;
};

// Lines, and below them one that says what is going on.
class WriteTerminal final : public WriteLines {
 public:
  using WriteLines::WriteLines;
  ~WriteTerminal() override { clear(); }

 private:
  void clear() override {
    if (shown_) output_.write("\r\x1b[K");
    shown_ = false;
  }
  void show() override {
    clear();
    if (ended_ == searches_) return;
    output_.write(
        fmt::format("[{}/{} done] {} asked and not answered yet", ended_, searches_, under_way_));
    shown_ = true;
  }

  bool shown_ = false;
};

class WriteJson final : public WriteEvents {
 public:
  explicit WriteJson(Output& output) : output_(output) {}

  void asked(const SearchView& search, const SearchNode& node) override {
    put("asked", search, node, Json::object());
  }
  void answered(const SearchView& search, const SearchNode& node) override {
    Json answer = to_json(*node.answer);
    answer.erase("text");  // it may be long, and is in the store
    put("answered", search, node, {{"answer", std::move(answer)}});
  }
  void judged(const SearchView& search, const SearchNode& node, bool confirmed) override {
    put(confirmed ? "confirmed" : "judged", search, node,
        {{"verdict", to_json(confirmed ? *node.confirmed : *node.verdict)}});
  }
  void ended(const SearchView& search, SearchStatus status, const std::string& why) override {
    write({{"event", "ended"},
           {"problem", search.tree.problem()},
           {"status", to_word(kSearchStatusWords, status)},
           {"why", why}});
  }

 private:
  void put(const char* event, const SearchView& search, const SearchNode& node, const Json& more) {
    Json line{{"event", event},          {"problem", search.tree.problem()},
              {"node", node.number},     {"step", to_word(kSearchStepWords, node.step)},
              {"attempt", node.attempt}, {"sample", node.sample}};
    line.update(more);
    write(line);
  }
  void write(const Json& line) { output_.write(dump_json(line) + "\n"); }

  Output& output_;
};

}  // namespace

std::unique_ptr<WriteEvents> make_write_progress(ProgressStyle style, Output& output,
                                                 size_t searches) {
  switch (style) {
    case ProgressStyle::terminal:
      return std::make_unique<WriteTerminal>(output, searches);
    case ProgressStyle::lines:
      return std::make_unique<WriteLines>(output, searches);
    case ProgressStyle::json:
      return std::make_unique<WriteJson>(output);
    case ProgressStyle::quiet:
      break;
  }
  return std::make_unique<WriteEvents>();
}

}  // namespace assay

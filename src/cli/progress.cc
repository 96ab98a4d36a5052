#include "cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/disk.h"
#include "base/escape.h"
#include "base/units.h"
#include "model/run_record.h"
#include "report/format.h"
#include "report/profile.h"
#include "report/speed.h"
#include "report/user_files.h"

namespace assay {
namespace {

// "[ 3/10] suite/level1/local/softmax  failed (compile: codegen): no lowering for ..."
std::string finished_line(size_t number, size_t total, const Attempt& attempt) {
  std::string width = fmt::format("{}", total);
  std::string file = file_beside_id(attempt);
  if (!file.empty()) file = " (" + printable(file, false) + ")";
  std::string line = fmt::format("[{:>{}}/{}] {}{}  {}", number, width.size(), total, attempt.id,
                                 file, verdict_in_words(attempt));
  if (std::string speed = speed_in_words(attempt); !speed.empty()) line += ": " + speed;
  if (attempt.profile) line += fmt::format(": {} a call (profile)", profile_cell(attempt));
  const StageRecord* deciding = attempt.deciding_stage();
  if (deciding)
    line += ": " + printable(error_with_path(attempt, *deciding, absolute_path(".")), false);
  return line + "\n";
}

class Lines : public Progress {
 public:
  explicit Lines(Output& output) : output_(output) {}

  void planned(size_t attempts, size_t reused, size_t verified,
               const std::vector<std::string>& not_applicable) override {
    total_ = attempts;
    for (const std::string& cell : not_applicable)
      output_.write("not applicable: " + printable(cell, false) + "\n");
    if (reused > 0)
      output_.write(fmt::format("{} of {} attempts are in this run already\n", reused, attempts));
    if (verified > 0)
      output_.write(
          fmt::format("{} of {} attempts were accepted in this run before, and are only "
                      "timed now\n",
                      verified, attempts));
  }
  void reused(const Attempt& attempt) override { Lines::finished(attempt); }
  void started(const std::string&, Stage, size_t) override {}
  void waiting() override {
    output_.write("waiting: another assay on this machine is timing, and one at a time may\n");
  }
  void note(const std::string& lines) override { output_.write(lines); }
  void finished(const Attempt& attempt) override {
    output_.write(finished_line(++finished_, total_, attempt));
  }
  void done(int, const std::string& summary, const std::string& folder) override {
    output_.write(fmt::format("{}\nreport: {}\n", summary, join_path(folder, "report.md")));
  }

 protected:
  Output& output_;
  size_t total_ = 0;
  size_t finished_ = 0;
};

// Lines, and below them one that says what is going on.
class Terminal final : public Lines {
 public:
  Terminal(Output& output, const Clock& clock) : Lines(output), clock_(clock) {}

  void planned(size_t attempts, size_t reused, size_t verified,
               const std::vector<std::string>& not_applicable) override {
    Lines::planned(attempts, reused, verified, not_applicable);
    begin_ns_ = clock_.now_ns();
    begin_finished_ = reused;
    show_status("starting");
  }
  void reused(const Attempt& attempt) override {
    clear();
    Lines::reused(attempt);
    show_status(status_);
  }
  void started(const std::string& path, Stage stage, size_t) override {
    show_status(fmt::format("{} {}", to_word(kStageWords, stage),
                            printable(path.substr(path.rfind('/') + 1), false)));
  }
  void finished(const Attempt& attempt) override {
    clear();
    Lines::finished(attempt);
    show_status(status_);
  }
  void waiting() override {
    clear();
    Lines::waiting();
    show_status(status_);
  }
  void note(const std::string& lines) override {
    clear();
    Lines::note(lines);
  }
  void done(int exit_status, const std::string& summary, const std::string& folder) override {
    clear();
    Lines::done(exit_status, summary, folder);
  }
  ~Terminal() override { clear(); }

 private:
  void clear() {
    if (shown_) output_.write("\r\x1b[K");
    shown_ = false;
  }
  // How long the rest may take, if it goes on as so far.
  std::string time_left() const {
    if (finished_ <= begin_finished_) return "";
    size_t here = finished_ - begin_finished_;
    auto each = static_cast<double>(clock_.now_ns() - begin_ns_) / static_cast<double>(here);
    return fmt::format(
        ", about {} left",
        format_duration(static_cast<int64_t>(each * static_cast<double>(total_ - finished_))));
  }
  void show_status(const std::string& status) {
    status_ = status;
    clear();
    if (finished_ == total_) return;
    const size_t columns = output_.columns();
    std::string line = fmt::format("[{}/{} done{}] {}", finished_, total_, time_left(), status);
    output_.write(line.substr(0, columns - 1));
    shown_ = true;
  }

  const Clock& clock_;
  int64_t begin_ns_ = 0;
  size_t begin_finished_ = 0;
  std::string status_;
  bool shown_ = false;
};

class JsonLines final : public Progress {
 public:
  explicit JsonLines(Output& output) : output_(output) {}

  void planned(size_t attempts, size_t reused, size_t verified,
               const std::vector<std::string>& not_applicable) override {
    event({{"event", "planned"},
           {"schema", kSchema},
           {"attempts", attempts},
           {"reused", reused},
           {"verified", verified},
           {"not_applicable", not_applicable}});
  }
  void reused(const Attempt& attempt) override {
    const auto said = outcome(attempt);
    event({{"event", "reused"},
           {"id", attempt.id},
           {"verdict", to_word(kVerdictWords, attempt.verdict)},
           {"outcome", said ? Json(to_word(kOutcomeWords, *said)) : Json()},
           {"reason", or_null(reason(attempt))}});
  }
  void started(const std::string& path, Stage stage, size_t targets) override {
    Json json{{"event", "started"}, {"stage", to_word(kStageWords, stage)}, {"path", path}};
    if (targets > 0) json["targets"] = targets;
    event(json);
  }
  void waiting() override { event({{"event", "waiting"}, {"for", "timing"}}); }
  void finished(const Attempt& attempt) override {
    event({{"event", "finished"}, {"attempt", to_json(attempt)}});
  }
  void note(const std::string&) override {}
  void done(int exit_status, const std::string& summary, const std::string& folder) override {
    event({{"event", "done"},
           {"exit_status", exit_status},
           {"summary", summary},
           {"report", join_path(folder, "report.json")}});
  }

 private:
  void event(const Json& json) { output_.write(dump_json(json) + "\n"); }
  Output& output_;
};

class Quiet final : public Progress {
 public:
  void planned(size_t, size_t, size_t, const std::vector<std::string>&) override {}
  void reused(const Attempt&) override {}
  void started(const std::string&, Stage, size_t) override {}
  void waiting() override {}
  void finished(const Attempt&) override {}
  void note(const std::string&) override {}
  void done(int, const std::string&, const std::string&) override {}
};

}  // namespace

ProgressStyle progress_style(const Arguments& arguments, const Output& output) {
  if (arguments.given("--quiet")) return ProgressStyle::quiet;
  if (arguments.given("--json")) return ProgressStyle::json;
  return output.is_terminal() ? ProgressStyle::terminal : ProgressStyle::lines;
}

std::unique_ptr<Progress> make_progress(ProgressStyle style, Output& output, const Clock& clock) {
  switch (style) {
    case ProgressStyle::terminal:
      return std::make_unique<Terminal>(output, clock);
    case ProgressStyle::json:
      return std::make_unique<JsonLines>(output);
    case ProgressStyle::quiet:
      return std::make_unique<Quiet>();
    case ProgressStyle::lines:
      break;
  }
  return std::make_unique<Lines>(output);
}

}  // namespace assay

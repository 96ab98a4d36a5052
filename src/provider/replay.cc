#include "provider/replay.h"

#include <fmt/format.h>

#include "base/text.h"
#include "provider/all.h"
#include "provider/dialect.h"

namespace assay {
namespace {

constexpr const char* kExample = R"({"node": "...", "text": "...", "end": "complete"})";

class Replay final : public Provider {
 public:
  explicit Replay(Recording recording) : recording_(std::move(recording)) {}

  Answer ask(const Question& question, const std::atomic<bool>& stop) override {
    if (stop.load()) return {.end = Answer::End::stopped, .why = "interrupted"};
    auto found = recording_.find(question.node);
    if (found != recording_.end()) return found->second;
    return {.why = fmt::format("the recording has no answer for '{}'", question.node)};
  }

  Result<std::string> check() override { return fmt::format("{} answers", recording_.size()); }

 private:
  const Recording recording_;
};

Result<std::string> replay_setup(const Disk&) {
  return "a file of answers, or the folder of a run: RUN#AUTHOR where several models wrote";
}

Result<std::unique_ptr<Provider>> open_replay(const Disk& disk, const std::string& path,
                                              const ReadRecording& recording) {
  if (path.empty()) return replay_of({});
  if (!recording_name(disk, path).folder.empty()) {
    if (!recording)
      return error(Code::invalid_input,
                   fmt::format("'{}' is a folder, not a file of answers", path));
    ASSAY_ASSIGN(Recording answers, recording(path));
    return replay_of(std::move(answers));
  }
  ASSAY_ASSIGN(const std::string text, disk.read(path));
  ASSAY_ASSIGN(Recording answers, read_recording(text, path));
  return replay_of(std::move(answers));
}

// Its file's or folder's name, without an ending.
std::string author_of_recording(const std::string& path) {
  const std::string whole = path.substr(0, path.find_last_not_of('/') + 1);
  const std::string name = whole.substr(whole.find_last_of('/') + 1);
  return name.substr(0, name.ends_with(".jsonl") ? name.size() - 6 : name.size());
}

}  // namespace

RecordingName recording_name(const Disk& disk, const std::string& written) {
  if (disk.is_directory(written)) return {written, ""};
  const size_t mark = written.rfind('#');
  if (mark == std::string::npos || !disk.is_directory(written.substr(0, mark))) return {};
  return {written.substr(0, mark), written.substr(mark + 1)};
}

std::unique_ptr<Provider> replay_of(Recording recording) {
  return std::make_unique<Replay>(std::move(recording));
}

std::string recorded_line(const std::string& node, const Answer& answer) {
  Json line{{"node", node}, {"end", to_word(kAnswerEndWords, answer.end)}, {"text", answer.text}};
  if (!answer.why.empty()) line["why"] = answer.why;
  if (!answer.model.empty()) line["model"] = answer.model;
  if (answer.usage) line["usage"] = to_json(*answer.usage);
  return dump_json(line);
}

Result<std::pair<std::string, Answer>> read_recorded_line(std::string_view line,
                                                          const std::string& where) {
  ASSAY_ASSIGN(const Json json, parse_json(line, where));
  JsonReader fields(json, where);
  const std::string node = fields.text("node");
  Answer answer;
  answer.end =
      fields.optional_word<Answer::End>("end", kAnswerEndWords).value_or(Answer::End::complete);
  answer.text = fields.optional_text("text").value_or("");
  answer.why = fields.optional_text("why").value_or("");
  answer.model = fields.optional_text("model").value_or("");
  if (fields.has("usage")) {
    answer.usage = usage_from_json(fields.value("usage"));
    if (!answer.usage)
      fields.fail("'usage' has no numbers 'input' and 'output', or parts of them that are larger");
  }
  if (auto good = fields.status(); !good)
    return error(Code::invalid_input, good.error().message,
                 fmt::format("each line is an object like {}", kExample));
  return std::pair{node, std::move(answer)};
}

Result<Recording> read_recording(std::string_view text, const std::string& path) {
  Recording recording;
  int number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const std::string where = fmt::format("{}:{}", path, number);
    ASSAY_ASSIGN(auto answer, read_recorded_line(line, where));
    if (!recording.insert(answer).second)
      return error(Code::invalid_input,
                   fmt::format("{}: '{}' has an answer already", where, answer.first),
                   "each node has one line");
  }
  return recording;
}

ProviderType replay_provider() {
  return {.name = "replay",
          .title = "answers that were recorded, in a file or by a run of `assay write`",
          .behind = "FILE|RUN",
          .setup = replay_setup,
          .open = open_replay,
          .author = author_of_recording};
}

}  // namespace assay

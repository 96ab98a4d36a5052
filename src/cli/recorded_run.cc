#include "cli/recorded_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "report/search_results.h"

namespace assay {
namespace {

std::string told(const NodeVerdict& verdict) {
  std::string words(to_word(kVerdictWords, verdict.verdict));
  return verdict.reason.empty() ? words : words + " (" + printable(verdict.reason, false) + ")";
}

}  // namespace

Result<std::shared_ptr<RecordedRun>> recorded_run(const std::string& folder) {
  auto recorded = std::make_shared<RecordedRun>();
  ASSAY_ASSIGN(RunStore store, RunStore::open_to_read(system_disk(), folder));
  recorded->store = std::make_shared<RunStore>(std::move(store));
  ASSAY_ASSIGN(SearchRecord record, recorded->store->search().record());
  if (!record.is_there())
    return error(Code::not_found, "'" + folder + "' holds no answers of a model",
                 "name the folder of a run that `assay write` has made");
  for (const SearchResult& result : search_results(record)) {
    recorded->author = result.author;
    for (const SearchNode& node : result.tree->nodes()) {
      if (node.attempt > 0) recorded->model = node.model;
      if (!recorded->nodes.emplace(node.key(), node).second)
        return error(Code::invalid_input, "'" + folder + "' holds answers of several models",
                     "a recording is of one: run each model into a folder of its own");
    }
  }
  return recorded;
}

Result<Recording> recording_of_run(const std::string& folder) {
  ASSAY_ASSIGN(auto recorded, recorded_run(folder));
  Recording recording;
  for (const auto& [key, node] : recorded->nodes)
    if (node.answer)
      recording.emplace(key, Answer{.end = node.answer->end,
                                    .text = node.answer->text,
                                    .why = node.answer->why,
                                    .usage = node.answer->usage,
                                    .model = node.answer->model});
  return recording;
}

Status take_verdicts(Writer& writer) {
  if (!writer.recorded)
    return error(Code::invalid_input,
                 fmt::format("--recorded-verdicts: {} has none", writer.model.written),
                 "--model replay:RUN answers from the folder of a run of `assay write`");
  writer.model.author = writer.recorded->author;
  writer.model.written = writer.recorded->model;
  writer.model.name = writer.model.written.substr(writer.model.written.find(':') + 1);
  return {};
}

std::string changes_in_words(const SearchRecord& record, const std::vector<Writer>& writers) {
  std::string changed;
  size_t same = 0, compared = 0;
  for (const SearchResult& result : search_results(record)) {
    auto writer = std::ranges::find(writers, result.author,
                                    [](const Writer& each) { return each.model.author; });
    if (writer == writers.end()) continue;
    for (const SearchNode& node : result.tree->nodes()) {
      const SearchNode* before = writer->recorded_node(node);
      if (!node.known() || !before || !before->known()) continue;
      ++compared;
      const NodeVerdict &now = *node.known(), &then = *before->known();
      if (now.verdict == then.verdict && now.reason == then.reason) {
        ++same;
        continue;
      }
      changed += fmt::format("  {} attempt {} sample {}: {} then, {} now\n",
                             printable(result.tree->problem(), false), node.attempt, node.sample,
                             told(then), told(now));
    }
  }
  if (compared == 0) return "";
  return fmt::format("{} of {} recorded answers are judged as they were then\n{}", same, compared,
                     changed);
}

}  // namespace assay

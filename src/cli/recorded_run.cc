#include "cli/recorded_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/escape.h"
#include "provider/replay.h"
#include "report/search_results.h"

namespace assay {
namespace {

std::string told(const NodeVerdict& verdict, bool with_outcome) {
  std::string words(to_word(kVerdictWords, verdict.verdict));
  if (verdict.outcome && with_outcome)
    words += fmt::format(", {}", to_word(kOutcomeWords, *verdict.outcome));
  return verdict.reason.empty() ? words : words + " (" + printable(verdict.reason, false) + ")";
}

}  // namespace

Result<std::shared_ptr<RecordedRun>> recorded_run(const std::string& written) {
  const auto [folder, author] = recording_name(system_disk(), written);
  auto recorded = std::make_shared<RecordedRun>();
  ASSAY_ASSIGN(RunStore store, RunStore::open_to_read(system_disk(), folder));
  recorded->store = std::make_shared<RunStore>(std::move(store));
  ASSAY_ASSIGN(SearchRecord record, recorded->store->search().record());
  if (!record.is_there())
    return error(Code::not_found, "'" + folder + "' holds no answers of a model",
                 "name the folder of a run that `assay write` has made");
  ASSAY_ASSIGN(const auto terms, recorded->store->search().terms());
  if (terms) recorded->language = field_or(*terms, "lang", std::string());
  std::set<std::string> authors;
  for (const SearchResult& result : search_results(record)) {
    authors.insert(result.author);
    if (!author.empty() && result.author != author) continue;
    recorded->author = result.author;
    for (const SearchNode& node : result.tree->nodes()) {
      if (!node.is_start()) recorded->model = node.model;
      recorded->nodes.emplace(result.tree->key(node), node);
    }
  }
  if (author.empty() ? authors.size() == 1 : authors.contains(author)) return recorded;
  return error(Code::invalid_input,
               fmt::format("'{}' holds answers of {}{}", folder, fmt::join(authors, ", "),
                           author.empty() ? "" : fmt::format(", and none of '{}'", author)),
               fmt::format("say whose: replay:{}#{}", folder, *authors.begin()));
}

Result<Recording> recording_of_run(const std::string& written) {
  ASSAY_ASSIGN(auto recorded, recorded_run(written));
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

Status take_verdicts(Writer& writer, const std::string& language) {
  if (!writer.recorded)
    return error(Code::invalid_input,
                 fmt::format("--recorded-verdicts: {} has none", writer.model.written),
                 "--model replay:RUN answers from the folder of a run of `assay write`");
  if (const std::string& then = writer.recorded->language; !then.empty() && then != language)
    return error(Code::invalid_input,
                 fmt::format("--recorded-verdicts: they are of answers in {}, and --lang says {}",
                             then, language),
                 "--lang " + then);
  writer.model.author = writer.recorded->author;
  writer.model.written = writer.recorded->model;
  writer.model.name = writer.model.written.substr(writer.model.written.find(':') + 1);
  return {};
}

Changes changes_in(const SearchRecord& record, const std::vector<Writer>& writers) {
  Changes changes;
  for (const SearchResult& result : search_results(record)) {
    auto writer = std::ranges::find(writers, result.author,
                                    [](const Writer& each) { return each.model.author; });
    if (writer == writers.end()) continue;
    for (const SearchNode& node : result.tree->nodes()) {
      const SearchNode* before = writer->recorded_node(*result.tree, node);
      if (!node.known() || !before || !before->known()) continue;
      ++changes.compared;
      const NodeVerdict &first = *before->known(), &second = *node.known();
      // A replay may leave times out.
      const bool are_timed = first.outcome && second.outcome;
      std::string then = told(first, are_timed), now = told(second, are_timed);
      if (then != now)
        changes.changed.push_back(
            {result.tree->problem(), node.attempt, node.sample, std::move(then), std::move(now)});
    }
  }
  return changes;
}

std::string in_words(const Changes& changes) {
  if (changes.compared == 0) return "";
  std::string words = fmt::format("{} of {} recorded answers are judged as they were then\n",
                                  changes.compared - changes.changed.size(), changes.compared);
  for (const Changes::Change& each : changes.changed)
    words +=
        fmt::format("  {} attempt {} sample {}: {} then, {} now\n", printable(each.problem, false),
                    each.attempt, each.sample, each.then, each.now);
  return words;
}

Json to_json(const Changes& changes) {
  Json list = Json::array();
  for (const Changes::Change& each : changes.changed)
    list.push_back({{"problem", each.problem},
                    {"attempt", each.attempt},
                    {"sample", each.sample},
                    {"then", each.then},
                    {"now", each.now}});
  return {{"compared", changes.compared}, {"changed", std::move(list)}};
}

}  // namespace assay

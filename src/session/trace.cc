#include "session/trace.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace assay {
namespace {

// Rows of the viewer: a group for the stages, one for each process, and one for each call.
class TraceEvents {
 public:
  // A group of rows with this name; events go into it from here on.
  void begin_group(const std::string& name) {
    ++group_;
    events_.push_back({{"name", "process_name"},
                       {"ph", "M"},
                       {"pid", group_},
                       {"tid", 1},
                       {"args", {{"name", name}}}});
    events_.push_back({{"name", "process_sort_index"},
                       {"ph", "M"},
                       {"pid", group_},
                       {"tid", 1},
                       {"args", {{"sort_index", group_}}}});
  }
  void add(const std::string& name, std::string_view category, double begin_us, double us,
           Json arguments = Json::object()) {
    events_.push_back({{"name", name},
                       {"cat", category},
                       {"ph", "X"},
                       {"ts", std::max(begin_us, 0.0)},
                       {"dur", std::max(us, 0.0)},
                       {"pid", group_},
                       {"tid", 1},
                       {"args", std::move(arguments)}});
  }
  // A curve, of what was held at each moment.
  void count(const std::string& name, double at_us, uint64_t bytes) {
    events_.push_back({{"name", name},
                       {"ph", "C"},
                       {"ts", std::max(at_us, 0.0)},
                       {"pid", group_},
                       {"args", {{"bytes", bytes}}}});
  }
  Json take() { return std::move(events_); }

 private:
  Json events_ = Json::array();
  int group_ = 0;
};

bool ran(const StageRecord& stage) { return stage.began_us && stage.wall_ns && !stage.reused; }

// Microseconds since 1970 of whatever came first.
std::optional<int64_t> origin_us(const Attempt& attempt, const Traced& traced) {
  std::optional<int64_t> first;
  auto take = [&](int64_t us) { first = std::min(first.value_or(us), us); };
  for (const StageRecord& stage : attempt.stages)
    if (ran(stage)) take(*stage.began_us);
  for (const TracedProcess& process : traced.processes) take(process.began_us);
  for (const MemorySample& sample : traced.memory) take(sample.at_us);
  return first;
}

Json arguments_of(const StageRecord& stage) {
  return {{"status", to_word(kStageStatusWords, stage.status)},
          {"error", or_null(stage.error)},
          {"cpu_ns", or_null(stage.cpu_ns)},
          {"peak_bytes", or_null(stage.peak_bytes)}};
}

}  // namespace

Json trace_of(const Attempt& attempt, const Traced& traced) {
  const int64_t zero_us = origin_us(attempt, traced).value_or(0);
  auto behind = [&](int64_t us) { return static_cast<double>(us - zero_us); };
  TraceEvents events;
  Json reused = Json::array();
  double call_us = 0;
  events.begin_group("stages of " + attempt.id);
  for (const StageRecord& stage : attempt.stages) {
    const std::string name(to_word(kStageWords, stage.stage));
    if (stage.reused) reused.push_back(name);
    if (!ran(stage)) continue;
    const double us = static_cast<double>(*stage.wall_ns) / 1e3;
    events.add(name, "stage", behind(*stage.began_us), us, arguments_of(stage));
    // What was built while it was verified may end behind what verify took of its own.
    if (stage.stage <= Stage::verify) call_us = std::max(call_us, behind(*stage.began_us) + us);
  }
  // Each has one child of its own, which is there as long as the stage.
  for (const StageRecord& stage : attempt.stages)
    if (ran(stage) && (stage.stage == Stage::export_ || stage.stage == Stage::compile)) {
      const std::string name(to_word(kStageWords, stage.stage));
      events.begin_group(name + " (process)");
      events.add(name, "process", behind(*stage.began_us),
                 static_cast<double>(*stage.wall_ns) / 1e3);
    }
  for (const TracedProcess& process : traced.processes) {
    events.begin_group(process.image + " (process)");
    events.add(process.image, "process", behind(process.began_us),
               static_cast<double>(process.wall_ns.value_or(0)) / 1e3,
               {{"end_seen", process.wall_ns.has_value()}});
  }
  if (!traced.memory.empty()) events.begin_group("memory");
  for (const MemorySample& each : traced.memory)
    events.count(std::string(to_word(kStageWords, each.stage)) + ": " + each.image,
                 behind(each.at_us), each.pss_bytes.value_or(each.rss_bytes));
  for (const TracedCall& call : traced.calls) {
    events.begin_group("one call, by " + std::string(plural(call.kind)) + " (" + call.by + ")");
    double end_ns = 0;
    for (const PartEvent& each : call.parts) end_ns = std::max(end_ns, each.begin_ns + each.ns);
    events.add("call", "call", call_us, end_ns / 1e3, {{"counter", call.counter}});
    for (const PartEvent& each : call.parts)
      events.add(each.name, to_word(kPartKindWords, call.kind), call_us + each.begin_ns / 1e3,
                 each.ns / 1e3);
  }
  return {{"traceEvents", events.take()},
          {"displayTimeUnit", "ms"},
          {"otherData",
           {{"attempt", attempt.id},
            {"begin_us", zero_us},
            {"finished", attempt.finished},
            {"reused", std::move(reused)}}}};
}

std::vector<TracedCall> take_calls(Json& counters) {
  std::vector<TracedCall> calls;
  for (auto& [name, counted] : counters.items()) {
    if (!counted.is_object() || !counted.contains(kOneCall)) continue;
    if (const auto parts = call_parts_from_json(counted))
      calls.push_back({name, parts->kind, parts->by, one_call_from_json(counted)});
    counted.erase(kOneCall);
  }
  std::erase_if(calls, [](const TracedCall& call) { return call.parts.empty(); });
  return calls;
}

}  // namespace assay

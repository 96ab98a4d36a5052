#include "report/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/units.h"
#include "model/words.h"
#include "report/call_table.h"
#include "report/evidence.h"
#include "report/table.h"

namespace assay {
namespace {

const Json& none() {
  static const Json kNone;
  return kNone;
}

// A field of what may be anything, or may lack it.
const Json& at(const Json& object, const char* name) {
  if (!object.is_object()) return none();
  auto found = object.find(name);
  return found == object.end() ? none() : *found;
}

std::string text(const Json& value) {
  if (value.is_null()) return "-";
  return terminal_text(value.is_string() ? value.get<std::string>() : dump_json(value));
}

// Of an error or a ratio, where three digits tell all.
std::string rounded(const Json& value) {
  return value.is_number() ? fmt::format("{:.3g}", value.get<double>()) : text(value);
}

double size(const Json& value) {
  if (value.is_number()) return value.get<double>();
  return value.is_string() ? 1e308 : 0;  // "inf", "nan"
}

std::string line(std::string_view label, const std::string& what) {
  return fmt::format("    {:<15} {}\n", label, what);
}

std::string joined(const Json& list, const char* separator) {
  std::string words;
  for (const Json& each : list) words += (words.empty() ? "" : separator) + text(each);
  return words;
}

std::string place(const Json& index) {
  return index.empty() ? "its only element" : "[" + joined(index, ", ") + "]";
}

// Of the round that decided, what was found first under the rule that decided.
const Json& deciding_complaint(const Json& evidence) {
  const Json& complaints = at(at(evidence, "decided_by"), "complaints");
  if (!complaints.is_array() || complaints.empty()) return none();
  for (const Json& complaint : complaints)
    if (at(complaint, "rule") == at(evidence, "rule")) return complaint;
  return complaints.front();
}

// The larger one of a round's outputs.
const Json& largest(const Json& round, const char* name) {
  const Json* found = &none();
  const Json& outputs = at(round, "outputs");
  if (outputs.is_array())
    for (const Json& output : outputs)
      if (size(at(output, name)) >= size(*found)) found = &at(output, name);
  return *found;
}

bool is_excused(const Json& round) { return at(round, "excused").is_string(); }

std::string outcome(const Json& round) {
  if (is_excused(round)) return "excused: " + text(at(round, "excused"));
  const Json& complaints = at(round, "complaints");
  const Json& labelled = at(round, "labelled");
  if (complaints.is_null() && labelled.is_array() && !labelled.empty())
    return "a label: " + text(at(labelled.front(), "rule"));
  if (!complaints.is_array() || complaints.empty()) return "good";
  return text(at(complaints.front(), "rule"));
}

std::string inputs(const Json& round) {
  std::string words = text(at(round, "family"));
  const Json& size = at(round, "size");
  return size.is_string() && size != kFullSize ? words + " at size " + text(size) : words;
}

std::string sample(const Json& found) {
  return line("  candidate", text(at(found, "candidate"))) +
         line("  baseline", text(at(found, "baseline"))) +
         line("  exact", text(at(found, "exact")));
}

// "output 0"; or "input 2, as the call leaves it". Records from before names have a number.
std::string name_of(const Json& result, const Json& number) {
  if (!at(result, "name").is_string()) return "output " + text(number);
  std::string name = text(at(result, "name"));
  return name.starts_with("input") ? name + " as the call leaves it" : name;
}

std::string mismatch(const Json& evidence) {
  const Json& complaint = deciding_complaint(evidence);
  if (const Json& round = at(evidence, "ended_in"); complaint.is_null() && round.is_object())
    return line("inputs", inputs(round) + ", drawn as " + text(at(round, "seed")));
  if (complaint.is_null()) return "";
  const Json& round = at(evidence, "decided_by");
  std::string words = line("inputs", inputs(round) + ", drawn as " + text(at(round, "seed")));
  if (!at(complaint, "index").is_array()) return words;
  // Of what probes find wrong, elements are looked at in places.
  const Json& outputs = at(round, "outputs");
  bool by_probes =
      outputs.is_array() && !outputs.empty() && at(outputs.front(), "checked_by") == "probes";
  words += line(by_probes ? "worst seen" : "first mismatch",
                fmt::format("{} at {}", name_of(complaint, at(complaint, "output")),
                            place(at(complaint, "index"))));
  return words + sample(complaint);
}

// "64x128 f32".
std::string tensor_words(const Json& input) {
  std::string shape;
  for (const Json& size : at(input, "shape")) shape += (shape.empty() ? "" : "x") + text(size);
  return (shape.empty() ? "scalar" : shape) + " " + text(at(input, "dtype"));
}

std::string domain_in_words(const Json& input) {
  const std::string domain = text(at(input, "domain"));
  const Json& drawn = at(input, "drawn");
  if (domain == "index") return "whole numbers from 0 to below " + text(at(input, "below"));
  if (domain == "mask") return "0 and 1, with a " + text(at(input, "shown")) + " in each row";
  if (domain == "constant") return "what get_inputs() makes of it, always";
  if (domain == "graph")
    return fmt::format("edges between {} nodes{}{}{}", text(at(input, "nodes")),
                       at(input, "undirected") == true ? ", in both directions" : "",
                       at(input, "self_loops") == false ? ", none from a node to itself" : "",
                       at(input, "duplicates") == false ? ", none twice" : "");
  if (drawn == "randint" || drawn == "randperm" || drawn == "arange")
    return "numbers in the range that it is drawn from";
  return drawn.is_null() ? "any, by way of the code in get_inputs()" : "any";
}

// Of what was accepted: where it was furthest off.
std::string worst(const Json& evidence) {
  const Json *found = nullptr, *of = nullptr;
  size_t output = 0;
  double most = 0;
  for (const Json& round : at(evidence, "rounds")) {
    const Json& outputs = at(round, "outputs");
    if (is_excused(round) || !outputs.is_array()) continue;
    for (size_t i = 0; i < outputs.size(); ++i) {
      double ratio = size(at(outputs[i], "max_ratio"));
      if (!at(outputs[i], "worst").is_object() || ratio <= most) continue;
      most = ratio;
      found = &at(outputs[i], "worst");
      of = &round;
      output = i;
    }
  }
  if (found == nullptr) return "";
  const std::string name = name_of(at(*of, "outputs")[output], output);
  return line("furthest off",
              fmt::format("{} at {}, inputs {}", name, place(at(*found, "index")), inputs(*of))) +
         sample(*found);
}

// Elements of large products are not compared one by one.
bool has_probes(const Json& evidence) {
  for (const Json& round : at(evidence, "rounds"))
    for (const Json& output : at(round, "outputs"))
      if (at(output, "checked_by") == "probes") return true;
  return false;
}

// Whole numbers have no errors: they are right or wrong.
bool has_errors(const Json& evidence) {
  for (const Json& round : at(evidence, "rounds"))
    for (const Json& output : at(round, "outputs"))
      if (!at(output, "rms_ratio").is_null()) return true;
  return false;
}

// Of how many elements others would say that they are not close. Nothing where that is none.
std::string allclose(const Json& evidence) {
  const Json &theirs = at(evidence, "beyond_kernelbench"), &torchs = at(evidence, "beyond_torch");
  if ((theirs == 0 || theirs.is_null()) && (torchs == 0 || torchs.is_null())) return "";
  if (at(at(evidence, "policy"), "by_tolerance") == true)
    return line("tolerance",
                fmt::format("{} are beyond KernelBench's, which decides, and {} beyond "
                            "torch's",
                            text(theirs), text(torchs)));
  return line("allclose", fmt::format("would call {} of these wrong at KernelBench's tolerance, {} "
                                      "at torch's: they are judged by the error, and this decides "
                                      "nothing",
                                      text(theirs), text(torchs)));
}

// Which values each input may have, and who says so.
std::string domains(const Json& list) {
  std::string words;
  std::string_view label = "input values";
  if (!list.is_array()) return words;
  for (const Json& input : list) {
    std::string said = domain_in_words(input);
    const Json& by = at(input, "said_by");
    if (at(input, "domain") != "free")
      said += by == "file" ? ", as get_input_domains() says" : ", as the call that makes it says";
    words += line(label, fmt::format("input {} ({}), {}: {}", text(at(input, "input")),
                                     tensor_words(input), text(at(input, "domain")), said));
    label = "";
  }
  return words;
}

std::string errors(const Json& evidence) {
  if (at(evidence, "rms_ratio").is_null()) return "";
  const Json& policy = at(evidence, "policy");
  std::string words;
  if (has_errors(evidence))
    words =
        line("error",
             fmt::format("rms {}, largest {} times the baseline's{}",
                         rounded(at(evidence, "rms_ratio")), rounded(at(evidence, "max_ratio")),
                         // What decided has its own limit, and says it.
                         at(evidence, "rule").is_string()
                             ? ""
                             : fmt::format("; {} and {} would do", text(at(policy, "rms_reduced")),
                                           text(at(policy, "max_most")))));
  if (at(evidence, "accuracy").is_string())
    words += line("accuracy", text(at(evidence, "accuracy")));
  std::string left_out = at(evidence, "left_out") == 0
                             ? ""
                             : fmt::format(", {} left out", text(at(evidence, "left_out")));
  words += line("compared",
                fmt::format("{} elements{}{}", text(at(evidence, "compared")), left_out,
                            has_probes(evidence) ? "; those of large products by probes" : ""));
  return words + allclose(evidence);
}

std::string launches(const Json& evidence) {
  std::string sizes, parameters;
  auto add = [](std::string& list, const std::string& word) {
    if (!list.contains(word)) list += (list.empty() ? "" : "; ") + word;
  };
  for (const Json& launch : at(evidence, "launches")) {
    add(sizes, text(at(launch, "size")));
    if (at(launch, "parameters").is_null()) continue;
    std::string why = at(launch, "why").is_string() ? " (" + text(at(launch, "why")) + ")" : "";
    add(parameters, text(at(launch, "parameters")) + why);
  }
  std::string words;
  if (!sizes.empty()) words += line("sizes", sizes);
  if (!parameters.empty()) words += line("parameters", parameters);
  return words;
}

std::string calls(const Json& evidence) {
  const Json& calls = at(evidence, "calls");
  if (!calls.is_object()) return "";
  const std::string count = text(at(calls, "count")) + " of the candidate";
  if (at(calls, "wall_ns").is_null()) return line("calls", count);  // emulated: it says nothing
  auto time = [&](const char* name) {
    const Json& value = at(calls, name);
    return value.is_number_integer() && value >= 0 ? format_duration(value.get<int64_t>())
                                                   : std::string("not known");
  };
  return line("calls", fmt::format("{}; {}, CPU {}", count, time("wall_ns"), time("cpu_ns")));
}

// Of a model that is compiled in the process that calls it.
std::string compiling(const Json& evidence) {
  const Json& parts = at(evidence, "compiling");
  std::string words;
  for (const auto& [name, said] : {std::pair("export_ns", "export"),
                                   {"compile_ns", "compile"},
                                   {"first_call_ns", "with its first call"}})
    if (const Json& ns = at(parts, name); ns.is_number_integer() && ns >= 0)
      words += fmt::format("{}{} {}", words.empty() ? "" : ", ", said,
                           format_duration(ns.get<int64_t>()));
  return words.empty() ? "" : line("compiling", words);
}

// What the candidate leaves to torch, and the errors that it hides.
std::string watched(const Json& evidence) {
  auto listed = [&](const char* list, const char* name, const char* number, const char* between) {
    std::string words;
    for (const Json& each : at(at(evidence, "watched"), list))
      words +=
          (words.empty() ? "" : ", ") + text(at(each, name)) + between + text(at(each, number));
    return words;
  };
  std::string words;
  if (std::string all = listed("operations", "name", "calls", " x"); !all.empty())
    words += line("by torch", all);
  if (std::string all = listed("hidden", "error", "line", " at line "); !all.empty())
    words += line("hidden", all);
  return words;
}

// What another bench would say.
std::string check(const Json& evidence) {
  const Json& check = at(evidence, "check");
  if (!check.is_object()) return "";
  const Json& correct = at(check, "correct");
  std::string words = !correct.is_boolean() ? "not known" : correct == true ? "correct" : "wrong";
  words += fmt::format(", {} of {} trials", text(at(check, "passed")), text(at(check, "trials")));
  if (at(check, "why").is_string()) words += "; " + text(at(check, "why"));
  return line(text(at(check, "name")), words + " (decides nothing)");
}

std::string rounds(const Json& evidence) {
  const Json& list = at(evidence, "rounds");
  if (!list.is_array() || list.empty()) return "";
  std::vector<Row> rows{{"INPUTS", "SIZE", "RMS", "LARGEST", "CAME OUT"}};
  for (const Json& round : list)
    rows.push_back({text(at(round, "family")), text(at(round, "size")),
                    rounded(largest(round, "rms_ratio")), rounded(largest(round, "max_ratio")),
                    outcome(round)});
  std::string words = line("rounds", "errors as multiples of the baseline's");
  std::string table = text_table(rows);
  for (size_t begin = 0; begin < table.size();) {
    size_t end = table.find('\n', begin) + 1;
    words += "      " + table.substr(begin, end - begin);
    begin = end;
  }
  return words;
}

// Positions whose largest is another, and the one where that was closest.
std::string closest(const Json& choices) {
  constexpr size_t kMostOthers = 4;
  std::string words;
  size_t others = 0;
  for (const Json& each : at(choices, "closest")) {
    const bool is_another = at(each, "less").is_number() && at(each, "less") > 0;
    if (is_another && others++ >= kMostOthers) continue;
    words += line(
        "", is_another ? fmt::format("at {} it is {} in the place of {}, which is larger by {}",
                                     place(at(each, "position")), text(at(each, "candidate")),
                                     text(at(each, "exact")), rounded(at(each, "less")))
                       : fmt::format(
                             "of the others the closest is at {}: {} is larger than the next by {}",
                             place(at(each, "position")), text(at(each, "exact")),
                             rounded(at(each, "margin"))));
    if (!is_another) break;
  }
  return words;
}

// How alike results are to the exact ones as a whole, of the problem's own inputs.
std::string likeness(const Json& evidence) {
  constexpr size_t kMost = 4;
  std::string words;
  size_t told = 0;
  for (const Json& round : at(evidence, "rounds")) {
    if (at(round, "family") != "own") continue;
    for (const Json& output : at(round, "outputs")) {
      const Json& likeness = at(output, "likeness");
      if (!at(likeness, "cosine").is_number() || told++ >= kMost) continue;
      auto apart = [&](const char* name) {
        const Json& cosine = at(likeness, name);
        return cosine.is_number() ? fmt::format("{:.2g}", 1 - cosine.get<double>()) : "-";
      };
      words +=
          line(told == 1 ? "likeness" : "",
               fmt::format("{}: its cosine with the exact result is 1 - {}, the baseline's "
                           "1 - {}",
                           text(at(output, "name")), apart("cosine"), apart("baseline_cosine")));
      const Json& choices = at(likeness, "choices");
      if (!choices.is_object()) continue;
      const bool differs = at(choices, "same") != at(choices, "rows");
      words += line("", fmt::format("the largest of a row is the exact one in {} of {} rows (the "
                                    "baseline's in {}){}",
                                    text(at(choices, "same")), text(at(choices, "rows")),
                                    text(at(choices, "baseline_same")),
                                    differs ? fmt::format("; it is among the five largest in {}, "
                                                          "and less by {} at most",
                                                          text(at(choices, "in_five")),
                                                          rounded(at(choices, "widest_margin")))
                                            : ""));
      words += closest(choices);
    }
    break;
  }
  return words;
}

// A list of sentences: nothing, one on the line, or one on each.
std::string sentences(std::string_view label, const Json& list) {
  if (!list.is_array() || list.empty()) return "";
  std::string words;
  for (const Json& each : list) {
    words += line(label, text(each));
    label = "";
  }
  return words;
}

}  // namespace

std::string verification_in_words(const Json& evidence) {
  if (!evidence.is_object()) return "";
  constexpr const char* kKnown[] = {
      "rms_ratio",    "max_ratio", "accuracy", "compared", "left_out", "beyond_kernelbench",
      "beyond_torch", "policy",    "labels",   "rule",     "why",      "decided_by",
      "rounds",       "isolation", "seed",     "launches", "weaker",   "not_in_double",
      "calls",        "ended_in",  "watched",  "check",    "domains",  "labelled",
      "compiling"};
  Json others = evidence;
  for (const char* name : kKnown) others.erase(name);
  const auto found = parts_found(at(evidence, "counters"));
  const std::string parts = found ? parts_in_lines(found->parts) : "";
  if (found) others["counters"].erase(found->counter);
  if (others.contains("counters") && others["counters"].empty()) others.erase("counters");
  std::string words = mismatch(evidence);
  if (words.empty()) words = worst(evidence);
  words += errors(evidence) + likeness(evidence) + launches(evidence);
  words += compiling(evidence) + calls(evidence);
  words += domains(at(evidence, "domains")) + check(evidence);
  words += sentences("labels", at(evidence, "labels")) + watched(evidence);
  words += sentences("weaker", at(evidence, "weaker"));
  words += sentences("not in double", at(evidence, "not_in_double"));
  words += line("isolation", text(at(evidence, "isolation")));
  words += line("seed", text(at(evidence, "seed")));
  return words + rounds(evidence) + parts + evidence_in_words(others);
}

std::string first_mismatch_in_words(const Json& evidence) {
  const Json& complaint = deciding_complaint(evidence);
  if (!at(complaint, "index").is_array()) return "";
  return fmt::format("first at {} of {}, inputs {}", place(at(complaint, "index")),
                     name_of(complaint, at(complaint, "output")),
                     inputs(at(evidence, "decided_by")));
}

}  // namespace assay

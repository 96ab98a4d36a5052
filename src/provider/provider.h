// Language models, and what answers in their place. One file for each way of asking them; to add
// one, write it beside openai.cc, declare it in all.h and name it in providers.cc. Nothing outside
// of this folder knows which there are.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/disk.h"
#include "base/json.h"
#include "base/status.h"
#include "model/answer.h"

namespace assay {

// What is asked of a model, once.
struct Question {
  std::string system{};  // what holds for all questions; may be empty
  std::string prompt{};
  // An object: "temperature", "max_tokens", and what else --param says. Without "max_tokens" it is
  // kDefaultMaxTokens.
  Json parameters{};
  std::string node{};  // names the question for a replay: problem, parents, operator and sample
  // Asked before a call is made again, after one that may have cost something and of which nothing
  // came. False: it is not made. Without it, it is.
  std::function<bool()> may_cost_again{};
};

inline constexpr int64_t kDefaultMaxTokens = 16384;

struct Answer {
  using End = AnswerEnd;
  End end = End::failed;
  std::string text{};            // with `complete` and `truncated`
  std::string why{};             // with the others: one line, without keys
  std::optional<Usage> usage{};  // of all calls; nothing: the other side did not say
  std::string model{};           // that answered, as it named itself
  // Parameters that the model does not take, and went without: "temperature, seed".
  std::string left_out{};
  int calls = 0;            // that were made, with retries
  int of_unknown_cost = 0;  // of these: may have cost something, and nobody said what
  // With `failed`: the other side does not let us in, so no question is answered.
  bool is_shut_out = false;
  int64_t wall_ns = 0;
};

class Provider {
 public:
  virtual ~Provider() = default;
  // Waits for the answer, and for retries. Called by several threads at once. `stop`: ends as soon
  // as may be.
  virtual Answer ask(const Question& question, const std::atomic<bool>& stop) = 0;
  // Whether it answers, without asking a model anything that costs. One line: what it said.
  virtual Result<std::string> check() = 0;
};

// What a replay answers: by Question::node.
using Recording = std::map<std::string, Answer>;
// The answers that a run's folder holds. Stores of runs are above this folder, so who opens a
// provider brings it along.
using ReadRecording = std::function<Result<Recording>(const std::string& folder)>;

struct ProviderType {
  std::string_view name;    // what is written before the colon: "openai"
  std::string_view title;   // for people
  std::string_view behind;  // what stands behind the colon: "MODEL", "COMMAND"
  // What it is set up by here, in one line; fails with what to set.
  Result<std::string> (*setup)(const Disk& disk) = nullptr;
  // `given`: what stands behind the colon; "" where it is opened to be checked. Fails where it is
  // not set up.
  Result<std::unique_ptr<Provider>> (*open)(const Disk& disk, const std::string& given,
                                            const ReadRecording& recording) = nullptr;
  // It is somewhere else, and can be asked whether it answers without naming a model.
  bool is_service = false;
  // The part of ids, of what stands behind the colon.
  std::string (*author)(const std::string& given) = nullptr;
};
std::span<const ProviderType> provider_types();

// A model as a command line names it: "openai:gpt-6.1-sol".
struct ModelName {
  const ProviderType* type = nullptr;
  std::string name{};     // behind the colon
  std::string written{};  // all of it
  std::string author{};   // part of ids, made of what ids keep: "gpt-6.1-sol"
};
// Fails with the providers there are.
Result<ModelName> find_model(const std::string& written);
Result<std::unique_ptr<Provider>> open_provider(const Disk& disk, const ModelName& model,
                                                const ReadRecording& recording = {});

}  // namespace assay

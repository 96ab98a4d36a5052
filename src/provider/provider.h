// Language models, and what answers in their place. One file for each way of asking them; to add
// one, write it beside openai.cc, declare it in all.h and name it in providers.cc. Nothing outside
// of this folder knows which there are.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/disk.h"
#include "base/json.h"
#include "base/status.h"

namespace assay {

// What is asked of a model, once.
struct Question {
  std::string system;  // what holds for all questions; may be empty
  std::string prompt;
  Json parameters;     // an object: "temperature", "max_tokens", and what else --param says
  std::string node{};  // names the question for a replay: problem, parents, operator and sample
};

// Tokens, as the other side counted them.
struct Usage {
  int64_t input = 0;         // all of them, those read from a cache too
  int64_t cached_input = 0;  // of these, read from a cache
  int64_t output = 0;        // with those of reasoning
  int64_t reasoning = 0;     // of these

  bool operator==(const Usage&) const = default;
};

struct Answer {
  enum class End {
    complete,
    truncated,  // it met the limit of tokens: not taken for code as it is
    refused,    // the model, or its provider's filter, would not
    failed,     // no answer came: the other side's or the network's failure, after all retries
    stopped,    // the user interrupted
  };
  End end = End::failed;
  std::string text{};            // with `complete` and `truncated`
  std::string why{};             // with the others: one line, without keys
  std::optional<Usage> usage{};  // nothing: the other side did not say
  std::string model{};           // that answered, as it named itself
  std::string
      left_out{};  // parameters that the model does not take, and went without: "temperature"
  int calls = 0;   // that were made, with retries
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

struct ProviderType {
  std::string_view name;    // what is written before the colon: "openai"
  std::string_view title;   // for people
  std::string_view behind;  // what stands behind the colon: "MODEL", "COMMAND"
  // What it is set up by here, in one line; fails with what to set.
  Result<std::string> (*setup)(const Disk& disk) = nullptr;
  // `given`: what stands behind the colon. Fails where it is not set up.
  Result<std::unique_ptr<Provider>> (*open)(const Disk& disk, const std::string& given) = nullptr;
};
std::span<const ProviderType> provider_types();

// A model as a command line names it: "openai:gpt-6.1-sol".
struct ModelName {
  const ProviderType* type = nullptr;
  std::string name;     // behind the colon
  std::string written;  // all of it
  std::string author;   // part of ids, made of what ids keep: "gpt-6.1-sol"
};
// Fails with the providers there are.
Result<ModelName> find_model(const std::string& written);
Result<std::unique_ptr<Provider>> open_provider(const Disk& disk, const ModelName& model);

}  // namespace assay

// OpenAI's chat completions, which most servers of models speak.
#include <algorithm>

#include "base/places.h"
#include "provider/all.h"
#include "provider/dialect.h"
#include "provider/endpoint.h"
#include "provider/service.h"

namespace assay {
namespace {

constexpr const char* kOwnAddress = "https://api.openai.com/v1";

Json default_parameters() { return {{"max_tokens", kDefaultMaxTokens}}; }

// Models that reason take the second name alone; servers that know only the first pass over the
// second, and would then answer without a limit.
std::vector<std::string> names_in_chat(const std::string& parameter) {
  if (parameter == "max_tokens") return {"max_tokens", "max_completion_tokens"};
  return {parameter};
}

Json write_chat(const std::string& model, const Question& question,
                const std::vector<SentParameter>& parameters) {
  Json messages = Json::array();
  if (!question.system.empty())
    messages.push_back({{"role", "system"}, {"content", question.system}});
  messages.push_back({{"role", "user"}, {"content", question.prompt}});
  Json body{{"model", model}, {"messages", std::move(messages)}};
  for (const SentParameter& each : parameters) body[each.name] = each.value;
  return body;
}

std::optional<Usage> read_chat_usage(const Json& json) {
  auto input = token_count(json, "prompt_tokens");
  auto output = token_count(json, "completion_tokens");
  if (!input || !output) return std::nullopt;
  Usage usage{.input = *input, .output = *output};
  const Json& prompt = field_of(json, "prompt_tokens_details");
  usage.cached_input = std::min(token_count(prompt, "cached_tokens").value_or(0), usage.input);
  usage.written_input = std::min(token_count(prompt, "cache_write_tokens").value_or(0),
                                 usage.input - usage.cached_input);
  usage.reasoning =
      token_count(field_of(json, "completion_tokens_details"), "reasoning_tokens").value_or(0);
  // Some count tokens of reasoning in the total alone, and all are paid for.
  if (auto total = token_count(json, "total_tokens"))
    usage.output = std::max(usage.output, *total - usage.input);
  usage.reasoning = std::min(usage.reasoning, usage.output);
  return usage;
}

ReadAnswer read_chat(std::string_view body) {
  ReadAnswer read;
  auto parsed = parse_json(body, "the answer");
  if (!parsed) {
    read.malformed = parsed.error().message;
    return read;
  }
  const Json& error = field_of(*parsed, "error");
  const Json& choices = field_of(*parsed, "choices");
  const bool has_choices = choices.is_array() && !choices.empty();
  read.answer.usage = read_chat_usage(field_of(*parsed, "usage"));
  read.is_error = is_error(error);
  read.has_begun = has_choices;
  if (read.is_error) return read;
  if (!has_choices) {
    read.malformed = "the answer has no choices";
    return read;
  }
  const Json& choice = choices.front();
  const Json& message = field_of(choice, "message");
  const Json& content = field_of(message, "content");
  if (!message.is_object() || !(content.is_string() || content.is_array() || content.is_null())) {
    read.malformed = "the answer has no message";
    return read;
  }
  Answer& answer = read.answer;
  answer.text = text_of_blocks(content);
  answer.model = text_field(*parsed, "model");
  const std::string finish = text_field(choice, "finish_reason");
  const std::string refusal = text_field(message, "refusal");
  if (finish == "content_filter" || !refusal.empty()) {
    answer.end = Answer::End::refused;
    answer.why = refusal.empty() ? "the provider's filter ended it" : refusal;
  } else if (finish == "length") {
    answer.end = Answer::End::truncated;
    answer.why = "it met the limit of tokens";
  } else if (finish == "error") {
    read.malformed = "the answer ended by an error of the provider's";
  } else {
    answer.end = Answer::End::complete;
  }
  return read;
}

Result<Endpoint> openai_endpoint(const Disk& disk) {
  ASSAY_ASSIGN(Endpoint endpoint,
               find_endpoint(disk, {.provider = "openai",
                                    .own_address = kOwnAddress,
                                    .address_variable = "OPENAI_BASE_URL",
                                    .headers_variable = "OPENAI_CUSTOM_HEADERS",
                                    .keys = {{"OPENAI_API_KEY", "Authorization", "Bearer "}},
                                    .key_is_optional_elsewhere = true}));
  ASSAY_TRY(endpoint.add_from_variable("OpenAI-Organization", "OPENAI_ORG_ID"));
  ASSAY_TRY(endpoint.add_from_variable("OpenAI-Project", "OPENAI_PROJECT_ID"));
  return endpoint;
}

Result<std::string> openai_setup(const Disk& disk) {
  ASSAY_ASSIGN(const Endpoint endpoint, openai_endpoint(disk));
  return endpoint.in_words();
}

Result<std::unique_ptr<Provider>> open_openai(const Disk& disk, const std::string& model,
                                              const ReadRecording&) {
  ASSAY_ASSIGN(Endpoint endpoint, openai_endpoint(disk));
  return open_service(
      {.endpoint = std::move(endpoint), .dialect = &chat_dialect(), .model = model});
}

}  // namespace

const Dialect& chat_dialect() {
  static const Dialect dialect{.ask_path = "/chat/completions",
                               .models_path = "/models",
                               .defaults = default_parameters,
                               .names = names_in_chat,
                               .indispensable = "max_tokens",
                               .write = write_chat,
                               .read = read_chat};
  return dialect;
}

ProviderType openai_provider() {
  return {.name = "openai",
          .title =
              "chat completions of OpenAI, and of servers that speak as it does: vLLM, SGLang, "
              "llama.cpp, Ollama, LM Studio, OpenRouter, litellm",
          .behind = "MODEL",
          .setup = openai_setup,
          .open = open_openai,
          .is_service = true};
}

}  // namespace assay

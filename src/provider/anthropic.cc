// Anthropic's messages.
#include <algorithm>

#include "provider/all.h"
#include "provider/dialect.h"
#include "provider/endpoint.h"
#include "provider/service.h"

namespace assay {
namespace {

constexpr const char* kItsAddress = "https://api.anthropic.com";

// What questions have in common is kept there for five minutes: those that follow read it at a
// tenth of its price.
Json defaults_of_messages() {
  return {{"max_tokens", kDefaultMaxTokens}, {"cache_control", {{"type", "ephemeral"}}}};
}

std::vector<std::string> names_in_messages(const std::string& parameter) {
  if (parameter == "reasoning_effort") return {"output_config"};
  return {parameter};
}

Json write_messages(const std::string& model, const Question& question,
                    const std::vector<SentParameter>& parameters) {
  Json body{{"model", model}};
  Json system{{"type", "text"}, {"text", question.system}};
  for (const SentParameter& each : parameters) {
    if (each.name == "cache_control")
      system["cache_control"] = each.value;
    else if (each.name == "output_config" && !each.value.is_object())
      body["output_config"] = {{"effort", each.value}};
    else
      body[each.name] = each.value;
  }
  if (!question.system.empty()) body["system"] = Json::array({std::move(system)});
  body["messages"] = Json::array({{{"role", "user"}, {"content", question.prompt}}});
  return body;
}

// Its input tokens are those that no cache has seen.
std::optional<Usage> read_messages_usage(const Json& json) {
  auto fresh = token_count(json, "input_tokens");
  auto output = token_count(json, "output_tokens");
  if (!fresh || !output) return std::nullopt;
  Usage usage{.output = *output};
  usage.cached_input = token_count(json, "cache_read_input_tokens").value_or(0);
  usage.written_input = token_count(json, "cache_creation_input_tokens").value_or(0);
  usage.input = *fresh + usage.cached_input + usage.written_input;
  return usage;
}

ReadAnswer read_messages(std::string_view body) {
  ReadAnswer read;
  auto parsed = parse_json(body, "the answer");
  if (!parsed) {
    read.malformed = parsed.error().message;
    return read;
  }
  const Json& content = field_of(*parsed, "content");
  read.answer.usage = read_messages_usage(field_of(*parsed, "usage"));
  read.is_error = text_field(*parsed, "type") == "error" || is_error(field_of(*parsed, "error"));
  read.has_begun = content.is_array() && !content.empty();
  if (read.is_error) return read;
  if (!content.is_array()) {
    read.malformed = "the answer has no content";
    return read;
  }
  Answer& answer = read.answer;
  answer.text = text_of_blocks(content);
  answer.model = text_field(*parsed, "model");
  const std::string reason = text_field(*parsed, "stop_reason");
  if (reason == "refusal") {
    answer.end = Answer::End::refused;
    answer.why = "the model would not";
  } else if (reason == "max_tokens") {
    answer.end = Answer::End::truncated;
    answer.why = "it met the limit of tokens";
  } else if (reason == "model_context_window_exceeded") {
    answer.end = Answer::End::truncated;
    answer.why = "it filled the model's context";
  } else {
    answer.end = Answer::End::complete;
  }
  return read;
}

Result<Endpoint> anthropic_endpoint(const Disk& disk) {
  ASSAY_ASSIGN(
      Endpoint endpoint,
      find_endpoint(disk, {.provider = "anthropic",
                           .own_address = kItsAddress,
                           .address_variable = "ANTHROPIC_BASE_URL",
                           .headers_variable = "ANTHROPIC_CUSTOM_HEADERS",
                           .keys = {{"ANTHROPIC_API_KEY", "x-api-key"},
                                    {"ANTHROPIC_AUTH_TOKEN", "Authorization", "Bearer "}}}));
  ASSAY_TRY(say_version(endpoint));
  return endpoint;
}

Result<std::string> anthropic_setup(const Disk& disk) {
  ASSAY_ASSIGN(const Endpoint endpoint, anthropic_endpoint(disk));
  return endpoint.in_words();
}

Result<std::unique_ptr<Provider>> open_anthropic(const Disk& disk, const std::string& model,
                                                 const ReadRecording&) {
  ASSAY_ASSIGN(Endpoint endpoint, anthropic_endpoint(disk));
  return open_service(
      {.endpoint = std::move(endpoint), .dialect = &messages_dialect(), .model = model});
}

}  // namespace

Status say_version(Endpoint& endpoint) {
  if (endpoint.has("anthropic-version")) return {};
  return endpoint.add("anthropic-version", "2023-06-01");
}

const Dialect& messages_dialect() {
  static const Dialect dialect{.ask_path = "/v1/messages",
                               .models_path = "/v1/models?limit=1000",
                               .defaults = defaults_of_messages,
                               .names = names_in_messages,
                               .indispensable = "max_tokens",
                               .write = write_messages,
                               .read = read_messages};
  return dialect;
}

ProviderType anthropic_provider() {
  return {.name = "anthropic",
          .title = "messages of Anthropic",
          .behind = "MODEL",
          .setup = anthropic_setup,
          .open = open_anthropic,
          .is_service = true};
}

}  // namespace assay

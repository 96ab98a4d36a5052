// A gateway that stands before the models of an organisation.
#include <algorithm>

#include "provider/all.h"
#include "provider/dialect.h"
#include "provider/endpoint.h"
#include "provider/service.h"

namespace assay {
namespace {

Result<Endpoint> gateway_endpoint(const Disk& disk) {
  ASSAY_ASSIGN(Endpoint endpoint,
               find_endpoint(disk, {.provider = "gateway",
                                    .address_variable = "LLM_GATEWAY_URL",
                                    .keys = {{"LLM_GATEWAY_KEY", "Ocp-Apim-Subscription-Key"}}}));
  if (endpoint.dialect != "openai") ASSAY_TRY(say_version(endpoint));
  return endpoint;
}

Result<std::string> gateway_setup(const Disk& disk) {
  ASSAY_ASSIGN(const Endpoint endpoint, gateway_endpoint(disk));
  return endpoint.in_words();
}

Result<std::unique_ptr<Provider>> open_gateway(const Disk& disk, const std::string& model,
                                               const ReadRecording&) {
  ASSAY_ASSIGN(Endpoint endpoint, gateway_endpoint(disk));
  const bool chat = endpoint.dialect == "openai";
  return open_service({.endpoint = std::move(endpoint),
                       .dialect = chat ? &chat_dialect() : &messages_dialect(),
                       .model = model});
}

}  // namespace

ProviderType gateway_provider() {
  return {.name = "gateway",
          .title =
              "a gateway that speaks as Anthropic does, or as OpenAI does, with headers of "
              "its own",
          .behind = "MODEL",
          .setup = gateway_setup,
          .open = open_gateway,
          .is_service = true};
}

}  // namespace assay

// The providers there are.
#pragma once

#include "provider/provider.h"

namespace assay {

ProviderType openai_provider();
ProviderType anthropic_provider();
ProviderType gateway_provider();
ProviderType command_provider();
ProviderType replay_provider();

}  // namespace assay

// The user's own file of providers: ~/.config/assay/providers.toml.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/disk.h"
#include "base/status.h"

namespace assay {

struct UserProvider {
  std::string address{};     // url
  std::string key_header{};  // the header that the key is sent in
  std::string dialect{};     // of a gateway: "anthropic", "openai"
  std::vector<std::pair<std::string, std::string>> headers{};
};

// Nothing where there is no file, or no table of this provider. In addresses and headers `${NAME}`
// stands for a variable of the environment; those of headers are taken as keys are.
Result<UserProvider> read_user_provider(const Disk& disk, const std::string& provider);

// "" where there is no home.
std::string user_file_path();

}  // namespace assay

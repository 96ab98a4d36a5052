// Keys: read once, kept out of everything else.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// The value of an environment variable that holds a key, or "". Taken out of the environment, its
// bytes too, so that no child inherits it and /proc does not show it. Asked again, it is the same.
std::string take_secret(const char* variable);
// One that was read elsewhere (a file of the user's): kept out of texts like the others.
void add_secret(std::string_view key);

// The text with each key that was taken replaced by "[key]". Words of a few characters are no keys:
// local servers are given "none" and "EMPTY".
std::string without_secrets(std::string text);

}  // namespace assay

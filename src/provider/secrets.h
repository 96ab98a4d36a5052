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

// Whether a variable of that name holds a key: MY_SERVICE_TOKEN.
bool is_name_of_secret(std::string_view variable);
// Keeps such variables' values out of texts, if they are as long as keys are. They stay in the
// environment: a command of the user's may need them.
void know_secrets_of_environment();

// The text with each key that was taken replaced by "[key]". Words of a few characters are no keys:
// local servers are given "none" and "EMPTY".
std::string without_secrets(std::string text);

}  // namespace assay

#include "provider/secrets.h"

#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <set>

namespace assay {
namespace {

constexpr size_t kShortestKey = 8;
constexpr size_t kShortestUnknown = 16;  // of what is a key by its name alone: no usual word
constexpr std::string_view kInItsPlace = "[key]";

struct Secrets {
  std::mutex mutex;
  std::map<std::string, std::string> by_variable;
  // The longest first: one may be a part of another.
  struct Longer {
    bool operator()(const std::string& a, const std::string& b) const {
      return a.size() != b.size() ? a.size() > b.size() : a < b;
    }
  };
  std::set<std::string, Longer> keys;
};

Secrets& secrets() {
  static Secrets all;
  return all;
}

// A key that was read from a file has the end of its line.
std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

std::string take_secret(const char* variable) {
  Secrets& all = secrets();
  const std::lock_guard lock(all.mutex);
  if (char* value = std::getenv(variable)) {
    const std::string key(without_blanks(value));
    ::explicit_bzero(value, std::strlen(value));
    ::unsetenv(variable);
    all.by_variable[variable] = key;
    if (key.size() >= kShortestKey) all.keys.insert(key);
  }
  auto found = all.by_variable.find(variable);
  return found == all.by_variable.end() ? "" : found->second;
}

void add_secret(std::string_view key) {
  if (key.size() < kShortestKey) return;
  Secrets& all = secrets();
  const std::lock_guard lock(all.mutex);
  all.keys.emplace(key);
}

bool is_name_of_secret(std::string_view variable) {
  return std::ranges::any_of(std::array{"_KEY", "_TOKEN", "_SECRET", "_PASSWORD"},
                             [&](const char* end) { return variable.ends_with(end); });
}

void know_secrets_of_environment() {
  for (char** each = environ; *each; ++each) {
    const std::string_view line = *each;
    const size_t mark = line.find('=');
    if (mark == std::string_view::npos) continue;
    const std::string_view value = without_blanks(line.substr(mark + 1));
    if (value.size() >= kShortestUnknown && is_name_of_secret(line.substr(0, mark)))
      add_secret(value);
  }
}

std::string without_secrets(std::string text) {
  Secrets& all = secrets();
  const std::lock_guard lock(all.mutex);
  for (const std::string& key : all.keys)
    for (size_t at = text.find(key); at != std::string::npos; at = text.find(key, at)) {
      text.replace(at, key.size(), kInItsPlace);
      at += kInItsPlace.size();
    }
  return text;
}

}  // namespace assay

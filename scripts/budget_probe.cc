// Compiled by scripts/check, and nothing else: what that takes on a machine, now, is the unit of
// the budgets in scripts/budgets. Includes nothing but the standard library, so that it is the same
// work for ever.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

namespace {

using Value = std::variant<int, double, std::string, std::vector<std::string>>;

std::map<std::string, Value> values_in(const std::string& text) {
  const std::regex pattern("([a-z_]+) *= *(\"[^\"]*\"|[0-9]+\\.[0-9]*|[0-9]+)");
  std::map<std::string, Value> values;
  for (auto each = std::sregex_iterator(text.begin(), text.end(), pattern);
       each != std::sregex_iterator(); ++each) {
    const std::string word = (*each)[2];
    if (word.starts_with('"'))
      values[(*each)[1]] = word.substr(1, word.size() - 2);
    else if (word.find('.') != std::string::npos)
      values[(*each)[1]] = std::stod(word);
    else
      values[(*each)[1]] = std::stoi(word);
  }
  return values;
}

}  // namespace

int main(int count, char** words) {
  std::ostringstream all;
  std::for_each(words, words + count, [&](const char* word) { all << word << ' '; });
  return static_cast<int>(values_in(all.str()).size());
}

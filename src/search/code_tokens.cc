#include "search/code_tokens.h"

#include "base/hash.h"

namespace assay {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         (c & 0x80) != 0;
}

// Where a text in quotes ends that begins at `at`; behind its last quote. One that is not closed
// ends with its line, or in three quotes with the code.
size_t end_of_text(std::string_view code, size_t at, bool python) {
  const char quote = code[at];
  const std::string three(3, quote);
  if (python && code.substr(at).starts_with(three)) {
    for (size_t i = at + 3; i < code.size(); ++i) {
      if (code[i] == '\\')
        ++i;
      else if (code.substr(i).starts_with(three))
        return i + 3;
    }
    return code.size();
  }
  for (size_t i = at + 1; i < code.size(); ++i) {
    if (code[i] == '\\')
      ++i;
    else if (code[i] == quote)
      return i + 1;
    else if (code[i] == '\n')
      return i;
  }
  return code.size();
}

// Behind the comment that begins at `at`; `at` where none does. Ends before the line's end.
size_t end_of_comment(std::string_view code, size_t at, bool python) {
  const std::string_view rest = code.substr(at);
  if (python ? rest.starts_with('#') : rest.starts_with("//"))
    return std::min(code.find('\n', at), code.size());
  if (!python && rest.starts_with("/*")) {
    const size_t end = code.find("*/", at + 2);
    return end == std::string_view::npos ? code.size() : end + 2;
  }
  return at;
}

// Between two of these a blank means something.
bool need_blank(char before, char after) {
  return (is_word(before) && is_word(after)) || (before == after && !is_word(before));
}

std::string tokens_of(std::string_view code, bool python) {
  std::string all;
  std::string line;    // its tokens
  std::string indent;  // what the line begins with
  bool is_directive = false, gap = false;
  auto end_line = [&] {
    if (!line.empty()) {
      // A directive of the preprocessor, and each line of Python, ends with its line.
      if (python)
        all += indent + line + "\n";
      else if (is_directive)
        all += "\n" + line + "\n";
      else
        all += (!all.empty() && need_blank(all.back(), line.front()) ? " " : "") + line;
    }
    line.clear();
    indent.clear();
    is_directive = gap = false;
  };
  for (size_t i = 0; i < code.size();) {
    if (code[i] == '\n') {
      end_line();
      ++i;
    } else if (size_t end = end_of_comment(code, i, python); end != i) {
      gap = true;
      i = end;
    } else if (is_blank(code[i])) {
      if (line.empty() && python) indent += code[i];
      gap = true;
      ++i;
    } else if (code[i] == '\\' && i + 1 < code.size() && code[i + 1] == '\n') {
      gap = true;
      i += 2;
    } else {
      const bool is_text = code[i] == '"' || code[i] == '\'';
      if (line.empty()) is_directive = !python && code[i] == '#';
      if (gap && !line.empty() && (is_directive || need_blank(line.back(), code[i]))) line += ' ';
      gap = false;
      end = is_text ? end_of_text(code, i, python) : i + 1;
      line += code.substr(i, end - i);
      i = end;
    }
  }
  end_line();
  return all;
}

}  // namespace

std::string hash_of_tokens(std::string_view code, bool python) {
  return sha256(tokens_of(code, python));
}

}  // namespace assay

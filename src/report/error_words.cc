// A scanner over one error line. It knows how compilers and Python write numbers, shapes, values,
// types and places, and nothing of what the line means.
#include "report/error_words.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/escape.h"

namespace assay {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
bool word_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}
bool all_digits(std::string_view text) { return !text.empty() && std::ranges::all_of(text, digit); }

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::string run() {
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (c == ' ' || c == '\t')
        space();
      else if (begins_path())
        path();
      else if ((c == '%' || c == '@') && word_char(next(1)))
        symbol(c == '%' ? "%V" : "@NAME");
      else if ((c == '[' || c == '(') && list_size() > 0)
        replace(list_size(), "SHAPE");
      else if (digit(c))
        number();
      else if (word_char(c))
        word();
      else
        keep();
    }
    result_.erase(result_.find_last_not_of(' ') + 1);
    return std::move(result_);
  }

 private:
  char next(size_t distance) const {
    return at_ + distance < text_.size() ? text_[at_ + distance] : '\0';
  }
  void keep() { result_ += text_[at_++]; }
  void replace(size_t size, std::string_view placeholder) {
    result_ += placeholder;
    at_ += size;
  }
  void space() {
    if (!result_.empty() && !result_.ends_with(' ')) result_ += ' ';
    ++at_;
  }

  // "/a/b", "./b", "../b", "~/b" at the beginning of a word.
  bool begins_path() const {
    if (at_ > 0 && std::string_view(" \t'\"`(=:,[").find(text_[at_ - 1]) == std::string_view::npos)
      return false;
    std::string_view rest = text_.substr(at_);
    for (std::string_view start : {"/", "./", "../", "~/"})
      if (rest.starts_with(start) && rest.size() > start.size()) {
        char first = rest[start.size()];
        if (word_char(first) || first == '.') return true;
      }
    return false;
  }
  void path() {
    size_t end = std::min(text_.find_first_of(" \t'\"`(),;<>|", at_), text_.size());
    while (text_[end - 1] == ':' || text_[end - 1] == '.') --end;
    replace(end - at_, "PATH");
  }

  // "%arg0", "%12#3", "@forward$async"
  void symbol(std::string_view placeholder) {
    ++at_;
    while (word_char(next(0)) || (next(0) == '#' && digit(next(1)))) ++at_;
    result_ += placeholder;
  }

  // Bytes of "[4, 8]", "(64,)" or "[-1, ?]" from here; 0 when it is something else.
  size_t list_size() const {
    bool square = text_[at_] == '[';
    size_t close = text_.find(square ? ']' : ')', at_);
    if (close == std::string_view::npos) return 0;
    std::string_view inside = text_.substr(at_ + 1, close - at_ - 1);
    bool numbers = std::ranges::all_of(inside, [](char c) {
      return digit(c) || std::string_view(" ,-?.").find(c) != std::string_view::npos;
    });
    bool any = std::ranges::any_of(inside, digit) && (square || inside.contains(','));
    return numbers && any ? inside.size() + 2 : 0;
  }

  // 12, 1.5e-6, 0x7f00, 4x8xf32
  void number() {
    if (next(0) == '0' && next(1) == 'x' && std::isxdigit(static_cast<unsigned char>(next(2)))) {
      size_t size = 2;
      while (std::isxdigit(static_cast<unsigned char>(next(size)))) ++size;
      return replace(size, "N");
    }
    size_t size = 0;
    bool shape = false;
    while (digit(next(size)) || (next(size) == '.' && digit(next(size + 1))) ||
           (next(size) == 'x' && word_char(next(size + 1)))) {
      shape = shape || next(size) == 'x';
      ++size;
    }
    if (shape) {
      while (word_char(next(size))) ++size;
      return replace(size, "SHAPE");
    }
    const char sign = next(size + 1);
    if (next(size) == 'e' &&
        (digit(sign) || ((sign == '-' || sign == '+') && digit(next(size + 2))))) {
      size += 2;
      while (digit(next(size))) ++size;
    }
    replace(size, "N");
  }

  // An identifier with its dots: "torch.aten.add", "p_layers_0_weight", "bad.py".
  void word() {
    size_t size = 0;
    while (word_char(next(size)) || (next(size) == '.' && word_char(next(size + 1)))) ++size;
    std::string_view word = text_.substr(at_, size);
    if (is_file(word)) {
      replace(size, "PATH");
      // ":3:4"
      while (next(0) == ':' && digit(next(1))) {
        ++at_;
        while (digit(next(0))) ++at_;
      }
      return;
    }
    result_ += without_numbers(word);
    at_ += size;
    if (next(0) == '<') arguments();
  }
  static bool is_file(std::string_view word) {
    constexpr std::array<std::string_view, 6> kEndings{".py", ".mlir", ".so", ".cc", ".cpp", ".o"};
    return std::ranges::any_of(kEndings, [&](std::string_view e) { return word.ends_with(e); });
  }
  // Names that tools number: "arg0_1" and "layers.3.weight", but not "sm_80", "f32" or "conv2d".
  static std::string without_numbers(std::string_view word) {
    if (size_t at = word.find("dispatch_");
        at != std::string_view::npos && at + 9 < word.size() && digit(word[at + 9]))
      return "DISPATCH";
    if (word.size() > 1 && (word[0] == 's' || word[0] == 'u') && all_digits(word.substr(1)))
      return "SYM";
    if (word.starts_with("sm_")) return std::string(word);
    std::string result;
    while (!word.empty()) {
      size_t end = std::min(word.find_first_of("._"), word.size());
      std::string_view part = word.substr(0, end);
      bool numbered_argument = part.starts_with("arg") && all_digits(part.substr(3));
      result += numbered_argument ? "argN" : all_digits(part) ? "N" : part;
      if (end < word.size()) result += word[end];
      word.remove_prefix(std::min(end + 1, word.size()));
    }
    return result;
  }
  // The "<4x8xf32, ...>" of a type; an arrow inside closes nothing.
  void arguments() {
    int depth = 0;
    for (size_t end = at_; end < text_.size(); ++end) {
      if (text_[end] == '<') ++depth;
      if (text_[end] == '>' && text_[end - 1] != '-' && --depth == 0)
        return replace(end + 1 - at_, "<SHAPE>");
    }
    keep();
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string result_;
};

}  // namespace

std::string without_particulars(std::string_view text) {
  std::string line = printable(utf8(text), false);
  return Scanner(line).run();
}

}  // namespace assay

#include "author/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "author/file_name.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"
#include "workload/suite_format.h"

namespace assay {
namespace {

// Of problems, levels and candidates.

struct Fenced {
  std::string language;  // in small letters; "" where none is named
  std::string code;
};

size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

// How many of a fence's marks a line begins with, behind its indent; 0: it is no fence. What has
// further backticks behind three of them is code within a line.
size_t fence_length(std::string_view line, char mark) {
  size_t begin = indent_of(line);
  if (begin == line.size() || line[begin] != mark) return 0;
  size_t end = line.find_first_not_of(mark, begin);
  size_t length = (end == std::string_view::npos ? line.size() : end) - begin;
  if (mark == '`' && end != std::string_view::npos && line.find(mark, end) != line.npos) return 0;
  return length < 3 ? 0 : length;
}

// What stands behind a fence, or in the place of one.
std::string_view behind_fence(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t\r`~");
  return begin == std::string_view::npos ? "" : trimmed(line.substr(begin));
}

// The first word behind the fence, as "python" of "```python title".
std::string language_of(std::string_view line) {
  std::string_view info = behind_fence(line);
  return lower_case(info.substr(0, info.find_first_of(" \t{,")));
}

// Fenced blocks as CommonMark has them; one that is not closed goes to the end. Those of a list are
// indented with it, as far as anybody likes: their lines lose as much as the fence has.
// What stands outside of them is added to `outside`.
std::vector<Fenced> fenced_blocks(std::string_view text, std::string* outside = nullptr) {
  std::vector<Fenced> blocks;
  char mark = 0;
  size_t opened = 0;  // marks of the fence that is open
  size_t indent = 0;  // of that fence
  while (!text.empty()) {
    std::string_view line = take_line(text);
    if (opened == 0) {
      for (char each : {'`', '~'})
        if (size_t length = fence_length(line, each)) {
          mark = each;
          opened = length;
          indent = indent_of(line);
          blocks.push_back({language_of(line), ""});
        }
      if (opened == 0 && outside) (*outside += line) += '\n';
      continue;
    }
    constexpr size_t kMostDeeper = 3;
    if (fence_length(line, mark) >= opened && behind_fence(line).empty() &&
        indent_of(line) <= indent + kMostDeeper) {
      opened = 0;
      continue;
    }
    blocks.back().code += line.substr(std::min(indent, indent_of(line)));
    blocks.back().code += '\n';
  }
  return blocks;
}

bool has(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

constexpr std::string_view kDiffBegins[] = {"diff --git ", "--- ", "@@ ", "<<<<<<< ",
                                            "*** Begin Patch"};

// A change to a file: nobody has the file that it is to be put over.
bool is_diff(const Fenced& block) {
  if (block.language == "diff" || block.language == "patch") return true;
  std::string_view code = block.code;
  code.remove_prefix(std::min(code.find_first_not_of(" \t\r\n"), code.size()));
  return std::ranges::any_of(kDiffBegins,
                             [&](std::string_view mark) { return code.starts_with(mark); });
}

// What a block is a candidate as; null: it is none.
const Form* form_of(const Fenced& block) {
  if (is_diff(block)) return nullptr;
  const Form* named = form_of_language(block.language);
  const Form* found = form_of_code(block.code);
  if (!found || !named) return found;
  return named->is_kernel() == found->is_kernel() ? named : nullptr;
}

std::shared_ptr<const std::string> shared(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

// "level1/gelu", or "gelu".
void take_problem(const std::string& written, ProblemKey& key) {
  size_t slash = written.rfind('/');
  key.name = slash == std::string::npos ? written : written.substr(slash + 1);
  if (slash != std::string::npos) key.level = written.substr(0, slash);
  if (key.name.ends_with(".py")) key.name.resize(key.name.size() - 3);
}

// What models end with, where nobody has taken it away: it is no part of an answer.
constexpr std::string_view kEndMarks[] = {
    "<|im_end|>", "<|EOT|>", "<|endoftext|>", "<|eot_id|>", "<|end_of_text|>", "<|end|>", "</s>"};

std::string_view without_end_marks(std::string_view text) {
  while (true) {
    std::string_view left = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
    const auto mark = std::ranges::find_if(
        kEndMarks, [&](std::string_view each) { return left.ends_with(each); });
    if (mark == std::end(kEndMarks)) return text;
    left.remove_suffix(mark->size());
    text = left.substr(0, left.find_last_not_of(" \t\r\n") + 1);
  }
}

// Models that think aloud do so between these marks, with tries and half of fences among it. Where
// it only ends, what stands before is thought.
std::string without_thoughts(std::string_view text) {
  constexpr std::string_view kBegin = "<think>", kEnd = "</think>";
  std::string answer;
  while (true) {
    const size_t end = text.find(kEnd);
    if (end == std::string_view::npos) return answer + std::string(text);
    const size_t begin = text.find(kBegin);
    if (begin < end) answer += text.substr(0, begin);
    text.remove_prefix(end + kEnd.size());
    answer += '\n';
  }
}

// What is typed into a terminal, or printed there, and words.
bool is_of_terminals(const Fenced& block) {
  constexpr std::string_view kLanguages[] = {"bash",     "sh",   "shell",     "zsh", "console",
                                             "terminal", "text", "plaintext", "txt", "output"};
  return std::ranges::find(kLanguages, block.language) != std::end(kLanguages);
}

// As those who collect answers to suites of Triton kernels take them: a file in Python, whole or in
// several blocks.
std::string code_of_prediction(std::string_view text) {
  const std::string answer = without_thoughts(without_byte_order_mark(text));
  text = without_end_marks(answer);
  std::string code, other;
  for (const Fenced& block : fenced_blocks(text))
    if (!is_diff(block)) (is_of_terminals(block) ? other : code) += block.code;
  return !code.empty() ? code : !other.empty() ? other : std::string(text);
}

}  // namespace

std::string_view take_line(std::string_view& text) {
  size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

const Form* form_of_code(std::string_view code) {
  if (has(code, "class ModelNew")) return &python_form();
  if (!has(code, "assay_kernel(")) return nullptr;
  if (has(code, "__global__"))
    return form_of_language(has(code, "hip/hip_runtime") ? "hip" : "cuda");
  return has(code, "extern \"C\"") ? &cpp_form() : &c_form();
}

bool is_file_of_code(std::string_view text) {
  std::string outside;
  fenced_blocks(without_thoughts(without_byte_order_mark(text)), &outside);
  std::string_view rest = outside;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (line.starts_with("class ModelNew(") || line.starts_with("class ModelNew:")) return true;
    const bool declares = line.starts_with("int ") || line.starts_with("extern \"C\"");
    if (declares && has(line, "assay_kernel(")) return true;
  }
  return false;
}

void take_code_of_answer(std::string_view text, Candidate& candidate) {
  candidate.form = &python_form();
  const std::string answer = without_thoughts(without_byte_order_mark(text));
  std::vector<Fenced> blocks = fenced_blocks(without_end_marks(answer));
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block)
    if (const Form* form = form_of(*block)) {
      candidate.form = form;
      candidate.code = shared(std::move(block->code));
      return;
    }
  if (blocks.empty())
    candidate.why_none = "there is no fenced code in it";
  else if (std::ranges::any_of(blocks, is_diff))
    candidate.why_none = "its code is a diff, and the whole file is needed";
  else
    candidate.why_none = fmt::format(
        "none of its {} blocks of fenced code defines ModelNew, or assay_kernel in C, C++, CUDA or "
        "HIP",
        blocks.size());
}

void read_code(const Json& json, JsonReader& fields, Candidate& candidate) {
  if (fields.has("code")) {
    std::string language = fields.optional_text("language").value_or("python");
    const Form* form = form_of_language(language);
    if (!form) fields.fail("'language' is '" + language + "', and can be " + known_languages());
    candidate.form = form ? form : &python_form();
    candidate.code = shared(fields.text("code"));
  } else if (fields.has("text")) {
    take_code_of_answer(fields.text("text"), candidate);
  } else if (fields.has("predict")) {
    candidate.form = &python_form();
    candidate.code = shared(code_of_prediction(fields.text("predict")));
  } else if (json.contains("text") || json.contains("code") || json.contains("predict")) {
    candidate.form = &python_form();
    candidate.why_none = "there was no answer";
  } else {
    fields.fail("it has neither 'code' nor 'text', nor 'predict'");
  }
}

namespace {

// What others call the same: a published file is taken as it is.
constexpr std::pair<const char*, const char*> kAlsoCalled[] = {
    {"level_id", "level"}, {"task_id", "problem_id"}, {"custom_code", "code"}};

Json with_known_names(Json json) {
  for (const auto& [theirs, name] : kAlsoCalled)
    if (json.contains(theirs) && !json.contains(name)) json[name] = json[theirs];
  if (json.contains("predict") && json.contains("file") && !json.contains("problem"))
    json["problem"] = json["file"];
  // KernelBench-X's evaluation takes either.
  for (const char* asked : {"prompt", "query"})
    if (json.contains("predict") && json.contains(asked) && !json.contains("instruction"))
      json["instruction"] = json[asked];
  return json;
}

Result<AnswerLine> read_answer(const Json& given, const std::string& where) {
  if (!given.is_object())
    return error(Code::invalid_input, where + ": it is no JSON object",
                 R"(each is one candidate: {"problem": "gelu", "code": "..."})");
  const Json json = with_known_names(given);
  JsonReader fields(json, where);
  AnswerLine answer;
  auto small = [&](const char* field, int first) {
    const int64_t number = fields.integer(field);
    if (number < first || number > kMostNumber)
      fields.fail(fmt::format("'{}' is no number from {} to {}", field, first, kMostNumber));
    return static_cast<int>(std::clamp<int64_t>(number, first, kMostNumber));
  };
  if (fields.has("problem")) {
    take_problem(fields.text("problem"), answer.key);
  } else if (fields.has("problem_id")) {
    answer.key.number = small("problem_id", 0);
    if (fields.has("level")) answer.key.level_number = small("level", 0);
  } else if (json.contains("predict")) {
    if (fields.has("label") && !trimmed(fields.text("label")).empty())
      answer.key.own_code = sha256(trimmed(fields.text("label")));
    if (fields.has("instruction")) answer.key.asked = asked_in(fields.text("instruction"));
    if (answer.key.own_code.empty() && answer.key.asked.empty())
      fields.fail("it names no 'file', and has neither 'label' nor 'instruction'");
  } else {
    fields.fail("it names no 'problem', nor a 'problem_id' with its 'level'");
  }
  Candidate& candidate = answer.candidate;
  if (const Json& said = fields.value("difficulty"); said.is_string())
    candidate.difficulty = said.get<std::string>();
  else if (said.is_number())
    candidate.difficulty = dump_json(said);
  if (fields.has("candidate")) {
    answer.has_number = true;
    candidate.number = small("candidate", 1);
  } else if (fields.has("sample_id")) {
    answer.has_number = true;
    candidate.number = small("sample_id", 0) + 1;
  }
  read_code(json, fields, candidate);
  ASSAY_TRY(fields.status());
  return answer;
}

// A whole file of JSON that is none of the known ones.
std::unexpected<Error> no_answers(const std::string& path) {
  return error(Code::invalid_input,
               fmt::format("'{}' is JSON, and no collection of candidates", path),
               R"(it is an object of code by "level_1_problem_19_sample_0", as KernelBench's )"
               R"(leaderboard has it, or a list of {"problem": "gelu", "code": "..."}, or such )"
               R"(objects one a line)");
}

// Code by the names of samples. Other fields, of whom it is, are left alone where the samples have
// a field of their own.
Result<std::vector<AnswerEntry>> read_samples(const Json& samples, const std::string& path) {
  std::vector<AnswerEntry> entries;
  int place = 0;
  for (const auto& [name, value] : samples.items()) {
    ++place;
    const std::string where = fmt::format("{}, '{}'", path, name);
    auto sample = read_sample_name(name);
    if (!sample)
      return error(Code::invalid_input, where + ": it is no name of a sample",
                   "each is called as level_1_problem_19_sample_0 is");
    // A text is the code itself, or an answer with code in it.
    const Json fields = value.is_object() ? with_known_names(value) : Json{{"code", value}};
    AnswerLine answer{.key = sample->key, .candidate = {}, .has_number = true};
    JsonReader reader(fields, where);
    read_code(fields, reader, answer.candidate);
    ASSAY_TRY(reader.status());
    answer.candidate.number = sample->number;
    entries.push_back({place, std::move(answer)});
  }
  return entries;
}

bool has_samples(const Json& json) {
  return json.is_object() && std::ranges::any_of(json.items(), [](const auto& each) {
           return read_sample_name(each.key()).has_value();
         });
}

}  // namespace

Result<AnswerLine> read_answer_line(std::string_view line, const std::string& where) {
  ASSAY_ASSIGN(Json json, parse_json(line, where));
  return read_answer(json, where);
}

Result<std::vector<AnswerEntry>> read_answers(std::string_view text, const std::string& path,
                                              std::vector<std::string>* odd) {
  std::vector<AnswerEntry> entries;
  std::optional<Error> first_odd;
  const auto take = [&](int place, Result<AnswerLine> answer) -> Status {
    if (answer) {
      entries.push_back({place, std::move(*answer)});
      return {};
    }
    if (odd == nullptr) return std::unexpected(std::move(answer).error());
    odd->push_back(answer.error().message);
    if (!first_odd) first_odd = std::move(answer).error();
    return {};
  };
  const auto all = [&]() -> Result<std::vector<AnswerEntry>> {
    if (entries.empty() && first_odd) return std::unexpected(std::move(*first_odd));
    return std::move(entries);
  };
  const auto whole = parse_json(text, path);
  if (whole && whole->is_array()) {
    int place = 0;
    for (const Json& each : *whole) {
      ++place;
      ASSAY_TRY(take(place, read_answer(each, fmt::format("{}, entry {}", path, place))));
    }
    return all();
  }
  if (whole && whole->is_object() && whole->contains("kernels") && (*whole)["kernels"].is_object())
    return read_samples((*whole)["kernels"], path);
  if (whole && has_samples(*whole)) return read_samples(*whole, path);
  if (whole && !whole->is_object()) return no_answers(path);
  if (whole && path.ends_with(".json")) {
    auto answer = read_answer(*whole, path);
    if (!answer) return no_answers(path);
    entries.push_back({1, std::move(*answer)});
    return entries;
  }
  for (int line = 1; !text.empty(); ++line) {
    const std::string_view one = take_line(text);
    if (one.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    ASSAY_TRY(take(line, read_answer_line(one, fmt::format("{}, line {}", path, line))));
  }
  return all();
}

}  // namespace assay

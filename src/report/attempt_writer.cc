#include "report/attempt_writer.h"

#include <charconv>

namespace assay {
namespace {

class Writer {
 public:
  explicit Writer(std::string& text) : text_(text) {}

  void attempt(const Attempt& attempt) {
    const StageRecord* deciding = attempt.deciding_stage();
    begin();
    field("id", attempt.id);
    field("workload", attempt.workload);
    field("path", attempt.path);
    field("suite", attempt.suite);
    text_or_null("level", attempt.level);
    field("author", attempt.author);
    field("candidate", int64_t{attempt.candidate});
    field("target", attempt.target);
    field("precision", to_word(kPrecisionWords, attempt.precision));
    field("mode", attempt.mode);
    field("verdict", to_word(kVerdictWords, attempt.verdict));
    const std::optional<Outcome> said = outcome(attempt);
    text_or_null("outcome", said ? to_word(kOutcomeWords, *said) : "");
    text_or_null("reason", reason(attempt));
    text_or_null("stage", deciding ? to_word(kStageWords, deciding->stage) : "");
    text_or_null("class", deciding ? class_of(*deciding) : "");
    text_or_null("fault", fault_word(fault_of(attempt)));
    text_or_null("error", deciding ? std::string_view(deciding->error) : "");
    field("reproduce", attempt.reproduce);
    text_or_null("reached", reached(attempt));
    name("timing");
    text_ += attempt.timing ? dump_json(to_json(*attempt.timing)) : "null";
    name("profile");
    text_ += attempt.profile ? dump_json(to_json(*attempt.profile)) : "null";
    name("operation");
    text_ += attempt.operation ? dump_json(to_json(*attempt.operation)) : "null";
    text_or_null("isolation", attempt.isolation);
    text_or_null("seed", attempt.seed);
    origin(attempt.origin);
    name("replay");
    text_ += attempt.replay ? dump_json(to_json(*attempt.replay)) : "null";
    field("fingerprint", attempt.fingerprint);
    field("finished", attempt.finished);
    list("artifacts", attempt.artifacts, [&](const ArtifactRecord& each) {
      begin();
      field("name", each.name);
      field("sha256", each.sha256);
      field("bytes", each.bytes);
      end();
    });
    list("stages", attempt.stages, [&](const StageRecord& each) { stage(each); });
    end();
  }

 private:
  static std::string_view class_of(const StageRecord& stage) {
    return stage.failure ? to_word(kFailureClassWords, *stage.failure) : "";
  }

  static std::string_view fault_word(const std::optional<Fault>& fault) {
    return fault ? to_word(kFaultWords, *fault) : "";
  }

  void origin(const Origin& origin) {
    name("origin");
    begin();
    field("author", origin.author);
    field("target", origin.target);
    text_or_null("iree", origin.iree);
    text_or_null("problem_sha256", origin.problem_sha256);
    text_or_null("candidate_sha256", origin.candidate_sha256);
    end();
  }

  void stage(const StageRecord& stage) {
    begin();
    field("stage", to_word(kStageWords, stage.stage));
    field("status", to_word(kStageStatusWords, stage.status));
    text_or_null("class", class_of(stage));
    text_or_null("rule", stage.rule);
    text_or_null("fault", fault_word(fault_of(stage)));
    text_or_null("error", stage.error);
    text_or_null("detail", stage.detail);
    number_or_null("began_us", stage.began_us);
    number_or_null("wall_ns", stage.wall_ns);
    number_or_null("cpu_ns", stage.cpu_ns);
    number_or_null("peak_bytes", stage.peak_bytes);
    name("reused");
    text_ += stage.reused ? "true" : "false";
    text_or_null("reuse", stage.reuse);
    name("evidence");
    text_ += stage.evidence_text.empty() ? dump_json(stage.evidence) : stage.evidence_text;
    end();
  }

  void begin() {
    text_ += '{';
    first_ = true;
  }
  void end() {
    text_ += '}';
    first_ = false;
  }
  void name(std::string_view name) {
    if (!first_) text_ += ',';
    first_ = false;
    text_ += '"';
    text_ += name;
    text_ += "\":";
  }
  void field(std::string_view key, std::string_view value) {
    name(key);
    string(value);
  }
  template <std::integral Number>
  void field(std::string_view key, Number value) {
    name(key);
    char digits[24];
    auto [last, code] = std::to_chars(digits, digits + sizeof digits, value);
    text_.append(digits, last);
  }
  void null(std::string_view key) {
    name(key);
    text_ += "null";
  }
  void text_or_null(std::string_view key, std::string_view value) {
    value.empty() ? null(key) : field(key, value);
  }
  template <class Number>
  void number_or_null(std::string_view key, const std::optional<Number>& value) {
    value ? field(key, *value) : null(key);
  }
  template <class Item, class Write>
  void list(std::string_view key, const std::vector<Item>& items, Write write) {
    name(key);
    text_ += '[';
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) text_ += ',';
      write(items[i]);
    }
    text_ += ']';
  }
  // What is beyond ASCII is left to those who know what is UTF-8.
  void string(std::string_view value) {
    size_t begin = text_.size();
    text_ += '"';
    size_t plain = 0;  // where what has not been taken over begins
    for (size_t i = 0; i < value.size(); ++i) {
      auto byte = static_cast<unsigned char>(value[i]);
      if (byte >= 0x80) {
        text_.resize(begin);
        text_ += dump_json(Json(value));
        return;
      }
      if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
      text_ += value.substr(plain, i - plain);
      escape(value[i]);
      plain = i + 1;
    }
    text_ += value.substr(plain);
    text_ += '"';
  }
  void escape(char c) {
    constexpr std::string_view kNamed = "\"\\\b\f\n\r\t", kLetters = "\"\\bfnrt";
    constexpr std::string_view kDigits = "0123456789abcdef";
    text_ += '\\';
    if (size_t named = kNamed.find(c); named != std::string_view::npos) {
      text_ += kLetters[named];
      return;
    }
    text_ += "u00";
    text_ += kDigits[static_cast<size_t>(c) >> 4];
    text_ += kDigits[static_cast<size_t>(c) & 15];
  }

  std::string& text_;
  bool first_ = true;
};

}  // namespace

void append_json(std::string& text, const Attempt& attempt) { Writer(text).attempt(attempt); }

}  // namespace assay

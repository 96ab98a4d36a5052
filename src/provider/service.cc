#include "provider/service.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <ctime>
#include <mutex>
#include <random>
#include <thread>

#include "base/units.h"
#include "base/version.h"
#include "provider/api_error.h"
#include "provider/secrets.h"

namespace assay {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kFirstPause = kSecond / 2;
constexpr int64_t kLongestOwnPause = 8 * kSecond;
constexpr const char* kNoList = "lists no models";
constexpr HttpTimes kCheckTimes{.total_ns = 15 * kSecond};
// They are said by assay itself, or would make an answer that it does not read.
constexpr std::string_view kNoParameters[] = {"model", "messages", "system",    "prompt",
                                              "n",     "stream",   "functions", "tools"};
constexpr const char* kLookAtAddress = "look at the address: most end with /v1";

// Of a proxy, of a login, or of the service's front door.
bool is_web_page(std::string_view body) {
  const size_t first = body.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && body[first] == '<';
}

void sleep_until_stopped(int64_t ns, const std::atomic<bool>& stop) {
  constexpr int64_t kSlice = 50 * kMs;
  for (int64_t left = ns; left > 0 && !stop.load(); left -= kSlice)
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(left, kSlice)));
}

double random_share() {
  thread_local std::mt19937 engine(std::random_device{}());
  return std::uniform_real_distribution<double>(0, 1)(engine);
}

std::string_view header(const HttpAnswer& answer, std::string_view name) {
  auto found = answer.headers.find(name);
  return found == answer.headers.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<double> number_in(std::string_view text) {
  double number = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size() || !std::isfinite(number) ||
      number < 0)
    return std::nullopt;
  return number;
}

class Service final : public Provider {
 public:
  explicit Service(ServiceSetting setting) : setting_(std::move(setting)) {
    Patience& patience = setting_.patience;
    if (!patience.pause) patience.pause = sleep_until_stopped;
    if (!patience.random) patience.random = random_share;
    if (!patience.utc_s) patience.utc_s = [] { return int64_t{std::time(nullptr)}; };
    headers_ = {"Content-Type: application/json", "Accept: application/json",
                std::string("User-Agent: assay/") + kVersionText};
    for (const auto& [name, value] : setting_.endpoint.headers)
      headers_.push_back(name + ": " + value);
  }

  Answer ask(const Question& question, const std::atomic<bool>& stop) override {
    const int64_t begun_ns = setting_.patience.clock->now_ns();
    Answer answer;
    const std::string wrong = complaint_about(question.parameters);
    if (wrong.empty())
      converse(question, stop, answer);
    else
      answer.why = wrong;
    answer.why = one_line(answer.why);
    answer.text = without_secrets(std::move(answer.text));
    answer.model = one_line(answer.model);
    answer.wall_ns = setting_.patience.clock->now_ns() - begun_ns;
    return answer;
  }

  Result<std::string> check() override {
    ASSAY_ASSIGN(const HttpAnswer listed, check_call(setting_.dialect->models_path, std::nullopt));
    const Json models = field_of(parse_json(listed.body, "").value_or(Json()), "data");
    if (listed.status == 200 && models.is_array()) return what_it_lists(models);
    // Some have no list. A question without a model is refused, and costs nothing: but not by an
    // address where there is nobody, such as one without its /v1.
    ASSAY_ASSIGN(const HttpAnswer asked, check_call(setting_.dialect->ask_path, "{}"));
    const bool is_api = parse_json(asked.body, "").value_or(Json()).is_object();
    if (asked.status != 200 && is_api && !is_absent(asked)) return kNoList;
    return error(
        Code::unavailable,
        fmt::format("{}: there is no such service at {}{} (status {})", setting_.endpoint.provider,
                    setting_.endpoint.shown(), setting_.dialect->ask_path, asked.status),
        kLookAtAddress);
  }

 private:
  static bool is_absent(const HttpAnswer& got) { return got.status == 404 || got.status == 405; }

  // Of a call that costs nothing. An error where nobody answers, or the key is refused.
  Result<HttpAnswer> check_call(std::string_view path, std::optional<std::string> body) const {
    const std::atomic<bool> never{false};
    const bool is_question = body.has_value();
    HttpAnswer got = http_call({.url = setting_.endpoint.url(path),
                                .headers = headers_,
                                .body = std::move(body),
                                .times = kCheckTimes},
                               never);
    const std::string& name = setting_.endpoint.provider;
    if (got.status == 0)
      return error(Code::unavailable,
                   fmt::format("{} does not answer: {}", name, one_line(got.why)));
    const bool is_key = got.status == 401 || got.status == 403;
    if (got.status == 200 || is_absent(got) || (is_question && !is_key)) return got;
    return error(
        Code::unavailable,
        fmt::format("{} refuses: {}", name, read_api_error(got.status, got.body, {}).message),
        is_key ? "look at the key" : "");
  }

  // A parameter as it was sent in one request.
  struct Sent {
    std::string parameter;
    size_t name = 0;  // which of its names
  };

  static std::string complaint_about(const Json& parameters) {
    if (!parameters.is_object() && !parameters.is_null()) return "the parameters are no object";
    for (const auto& [name, value] : parameters.items())
      if (is_said_by_assay(name))
        return fmt::format("the parameter '{}' cannot be set: assay says it itself", name);
    return "";
  }

  Json parameters_of(const Question& question) const {
    Json parameters = setting_.dialect->defaults();
    if (question.parameters.is_object())
      for (const auto& [name, value] : question.parameters.items()) parameters[name] = value;
    return parameters;
  }

  // Those that the model takes, under the names that it takes.
  std::vector<SentParameter> to_send(const Json& parameters, std::vector<Sent>& sent,
                                     std::string& left_out) {
    const std::lock_guard lock(mutex_);
    std::vector<SentParameter> result;
    std::vector<std::string> missing;
    for (const auto& [parameter, value] : parameters.items()) {
      if (value.is_null()) continue;
      const auto names = setting_.dialect->names(parameter);
      const size_t name = name_of_[parameter];
      if (name < names.size()) {
        result.push_back({names[name], value});
        sent.push_back({parameter, name});
      } else {
        missing.push_back(parameter);
      }
    }
    left_out = fmt::format("{}", fmt::join(missing, ", "));
    return result;
  }

  // Goes on to the next name of what was sent so, or leaves it out. False: it cannot go without.
  bool leave_out(const Sent& sent) {
    const size_t names = setting_.dialect->names(sent.parameter).size();
    if (sent.parameter == setting_.dialect->indispensable && sent.name + 1 >= names) return false;
    const std::lock_guard lock(mutex_);
    size_t& name = name_of_[sent.parameter];
    name = std::max(name, sent.name + 1);  // another thread may have been here before
    return true;
  }

  void converse(const Question& question, const std::atomic<bool>& stop, Answer& answer) {
    const Json parameters = parameters_of(question);
    int retries = 0;
    while (true) {
      std::vector<Sent> sent;
      const auto sending = to_send(parameters, sent, answer.left_out);
      const HttpAnswer got =
          http_call({.url = setting_.endpoint.url(setting_.dialect->ask_path),
                     .headers = headers_,
                     .body = dump_json(setting_.dialect->write(setting_.model, question, sending)),
                     .times = setting_.patience.times},
                    stop);
      ++answer.calls;
      const int64_t known = answer.usage.value_or(Usage{}).total();
      Step step = judge(got, sending, answer);
      if (step.cost_unknown) ++answer.of_unknown_cost;
      const bool has_cost = step.cost_unknown || answer.usage.value_or(Usage{}).total() > known;
      if (step.kind == Step::Kind::without_parameter) {
        if (leave_out(sent[step.parameter])) continue;
        step.kind = Step::Kind::over;
      }
      if (step.kind == Step::Kind::over) return;
      if (retries == setting_.patience.retries) {
        answer.why += fmt::format(" ({} calls)", answer.calls);
        return;
      }
      if (has_cost && question.may_cost_again && !question.may_cost_again()) {
        answer.why += "; it is not asked again, since too little may be spent still";
        return;
      }
      setting_.patience.pause(pause_ns(got, retries), stop);
      ++retries;
      if (stop.load()) {
        answer.end = Answer::End::stopped;
        return;
      }
    }
  }

  struct Step {
    enum class Kind { over, again, without_parameter };
    Kind kind = Kind::over;
    size_t parameter = 0;       // of those that were sent
    bool cost_unknown = false;  // the call may have cost something
  };

  // What one call came to: the answer, as far as it is known, and how to go on.
  Step judge(const HttpAnswer& got, const std::vector<SentParameter>& sent, Answer& answer) const {
    answer.is_shut_out = false;
    if (got.stopped) {
      answer.end = Answer::End::stopped;
      answer.why = "interrupted";
      return {.cost_unknown = got.sent};
    }
    if (got.status == 0) {
      answer.end = Answer::End::failed;
      answer.why = "no answer: " + got.why;
      return {.kind = got.temporary ? Step::Kind::again : Step::Kind::over,
              .cost_unknown = got.sent};
    }
    if (got.status != 200) return judge_error(got, sent, answer);
    ReadAnswer read = setting_.dialect->read(got.body);
    const bool has_usage = read.answer.usage.has_value();
    if (has_usage) answer.usage = answer.usage.value_or(Usage{}) + *read.answer.usage;
    if (read.is_error) {
      Step step = judge_error(got, sent, answer);
      step.cost_unknown = step.cost_unknown || (read.has_begun && !has_usage);
      return step;
    }
    if (read.malformed.empty()) {
      take(std::move(read.answer), answer);
      return {.cost_unknown = !has_usage};
    }
    answer.end = Answer::End::failed;
    answer.why = read.malformed;
    if (is_web_page(got.body))
      answer.why = std::string("it answers with a web page, and not as an API; ") + kLookAtAddress;
    return {.kind = Step::Kind::again, .cost_unknown = !has_usage};
  }

  Step judge_error(const HttpAnswer& got, const std::vector<SentParameter>& sent,
                   Answer& answer) const {
    std::vector<std::string> names;
    for (const SentParameter& each : sent) names.push_back(each.name);
    const ApiError error = read_api_error(got.status, got.body, names);
    answer.end = Answer::End::failed;
    answer.why = error.message;
    Step step;
    // Who answers in the place of somebody who may be at work.
    step.cost_unknown = got.status == 504 || got.status == 524;
    switch (error.kind) {
      case ApiError::Kind::temporary:
        step.kind = Step::Kind::again;
        break;
      case ApiError::Kind::permanent:
        break;
      case ApiError::Kind::too_long:
        answer.end = Answer::End::too_long;
        break;
      case ApiError::Kind::refused:
        answer.end = Answer::End::refused;
        break;
      case ApiError::Kind::shut_out:
        answer.is_shut_out = true;
        answer.why = fmt::format("{} does not let us in: {}; look at its key",
                                 setting_.endpoint.provider, error.message);
        break;
      case ApiError::Kind::unsupported:
        step.kind = Step::Kind::without_parameter;
        step.parameter =
            static_cast<size_t>(std::ranges::find(names, error.parameter) - names.begin());
        return step;
    }
    if (got.status >= 300 && got.status < 400)
      answer.why = fmt::format("status {}: it sends us on to '{}', and keys are not taken there",
                               got.status, header(got, "location"));
    if (header(got, "x-should-retry") == "true") step.kind = Step::Kind::again;
    if (header(got, "x-should-retry") == "false") step.kind = Step::Kind::over;
    return step;
  }

  // All but its usage, which is that of all calls.
  static void take(Answer read, Answer& answer) {
    answer.end = read.end;
    answer.text = std::move(read.text);
    answer.why = std::move(read.why);
    answer.model = std::move(read.model);
  }

  int64_t pause_ns(const HttpAnswer& got, int retries) const {
    const Patience& patience = setting_.patience;
    if (auto asked = asked_pause_ns(got, patience.utc_s()))
      return std::min(*asked, patience.longest_pause_ns);
    const int64_t most = std::min(kFirstPause << std::min(retries, 10), kLongestOwnPause);
    return static_cast<int64_t>(static_cast<double>(most) * (1 - patience.random() / 4));
  }

  std::string what_it_lists(const Json& models) const {
    const bool listed = std::ranges::any_of(
        models, [&](const Json& model) { return text_field(model, "id") == setting_.model; });
    std::string text = format_count(models.size(), "model");
    if (!setting_.model.empty() && !listed) text += ", and not '" + setting_.model + "'";
    return one_line(text);
  }

  ServiceSetting setting_;
  std::vector<std::string> headers_;
  std::mutex mutex_;
  std::map<std::string, size_t> name_of_;  // which of its names the model takes
};

}  // namespace

bool is_said_by_assay(std::string_view parameter) {
  return std::ranges::find(kNoParameters, parameter) != std::end(kNoParameters);
}

std::optional<int64_t> asked_pause_ns(const HttpAnswer& answer, int64_t utc_s) {
  constexpr double kMostSeconds = 1e6;
  if (auto ms = number_in(header(answer, "retry-after-ms")))
    return static_cast<int64_t>(std::min(*ms / 1000, kMostSeconds) * kSecond);
  const std::string_view after = header(answer, "retry-after");
  if (auto seconds = number_in(after))
    return static_cast<int64_t>(std::min(*seconds, kMostSeconds) * kSecond);
  std::tm date{};
  if (::strptime(std::string(after).c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date) == nullptr)
    return std::nullopt;
  const int64_t seconds = int64_t{::timegm(&date)} - utc_s;
  return std::clamp(seconds, int64_t{0}, int64_t{1'000'000}) * kSecond;
}

Result<std::unique_ptr<Provider>> open_service(ServiceSetting setting) {
  ASSAY_TRY(http_is_ready());
  return std::make_unique<Service>(std::move(setting));
}

}  // namespace assay

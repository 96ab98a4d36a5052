#include "provider/spend.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cmath>

#include "base/units.h"

namespace assay {
namespace {

constexpr std::string_view kTokens = "-tokens";
constexpr std::string_view kDollars = "usd";
constexpr const char* kSpendExample = "write for example 2M-tokens,5usd,30m";

std::unexpected<Error> wrong_spend(const std::string& what) {
  return error(Code::invalid_input, "--spend: " + what, kSpendExample);
}

// "2M", "500k", "1200": thousands and millions.
std::optional<double> read_amount(std::string_view text, bool with_unit) {
  double factor = 1;
  if (with_unit && !text.empty()) {
    constexpr std::pair<char, double> kFactors[] = {
        {'k', 1e3}, {'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'B', 1e9}};
    for (const auto& [letter, value] : kFactors)
      if (text.back() == letter) factor = value;
    if (factor > 1) text.remove_suffix(1);
  }
  double number = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  number *= factor;
  if (!std::isfinite(number) || number <= 0 || number > 1e15) return std::nullopt;
  return number;
}

Status read_part(std::string_view part, SpendLimits& limits) {
  auto twice = [&] { return wrong_spend(fmt::format("'{}' is a second limit of its kind", part)); };
  auto none = [&] { return wrong_spend(fmt::format("'{}' is no amount", part)); };
  if (part.ends_with(kTokens)) {
    auto amount = read_amount(part.substr(0, part.size() - kTokens.size()), true);
    if (!amount || *amount < 1) return none();
    if (limits.tokens) return twice();
    limits.tokens = std::llround(*amount);
  } else if (part.ends_with(kDollars)) {
    auto amount = read_amount(part.substr(0, part.size() - kDollars.size()), false);
    if (!amount) return none();
    if (limits.usd) return twice();
    limits.usd = *amount;
  } else {
    // A number alone could be anything.
    auto ns = parse_duration_ns(part);
    if (!ns || part.find_first_not_of("0123456789.") == std::string_view::npos) return none();
    if (limits.wall_ns) return twice();
    limits.wall_ns = *ns;
  }
  return {};
}

// No tokenizer of bytes makes more of a text than its bytes, and a few mark where it begins and
// ends. Of words and code it makes a quarter of that; of numbers, one each.
int64_t most_tokens(std::string_view text) { return static_cast<int64_t>(text.size() + 16); }

}  // namespace

int64_t token_limit(const Json& parameters) {
  int64_t most = 0;
  if (parameters.is_object())
    for (const auto& [name, value] : parameters.items())
      if (limits_tokens(name) && value.is_number_integer())
        most = std::max(most, value.get<int64_t>());
  return most > 0 ? most : kDefaultMaxTokens;
}

bool limits_tokens(std::string_view parameter) {
  return parameter == kTokenLimit || parameter == "max_completion_tokens";
}

Result<SpendLimits> parse_spend(std::string_view text) {
  SpendLimits limits;
  while (true) {
    const size_t comma = text.find(',');
    ASSAY_TRY(read_part(text.substr(0, comma), limits));
    if (comma == std::string_view::npos) return limits;
    text.remove_prefix(comma + 1);
  }
}

std::string exact_spend(const SpendLimits& limits) {
  std::string text;
  auto add = [&](const std::string& part) { text += (text.empty() ? "" : ",") + part; };
  if (limits.tokens) {
    const int64_t tokens = *limits.tokens;
    add(tokens % 1'000'000 == 0 ? fmt::format("{}M{}", tokens / 1'000'000, kTokens)
        : tokens % 1'000 == 0   ? fmt::format("{}k{}", tokens / 1'000, kTokens)
                                : fmt::format("{}{}", tokens, kTokens));
  }
  if (limits.usd) add(fmt::format("{}{}", *limits.usd, kDollars));
  if (limits.wall_ns) add(exact_duration(*limits.wall_ns));
  return text;
}

Cost most_of(const Question& question, const std::string& model, const Prices& prices) {
  Usage usage;
  usage.input = most_tokens(question.system) + most_tokens(question.prompt);
  usage.output = token_limit(question.parameters);
  // Written to a cache, input is dearest.
  Usage written = usage;
  written.written_input = usage.input;
  return {usage.total(),
          std::max(prices.cost(model, usage).value_or(0), prices.cost(model, written).value_or(0))};
}

Cost cost_of(const Answer& answer, const Cost& most, const std::string& model,
             const Prices& prices) {
  Cost cost;
  if (answer.usage) cost = {answer.usage->total(), prices.cost(model, *answer.usage).value_or(0)};
  for (int i = 0; i < answer.of_unknown_cost; ++i) cost += most;
  return cost;
}

Status check_priced(const SpendLimits& limits, const std::string& model, const Prices& prices) {
  if (!limits.usd || prices.cost(model, Usage{})) return {};
  const std::string why = prices.why_none(model);
  return error(
      Code::invalid_input,
      fmt::format("--spend has dollars, and nobody knows what '{}' costs{}{}", model,
                  why.empty() ? "" : ": ", why),
      fmt::format("write its prices into ~/.config/assay/prices.json (docs/formats.md), or "
                  "limit tokens"));
}

Spend::Spend(SpendLimits limits, Cost before, int64_t before_ns, const Clock& clock)
    : limits_(limits),
      clock_(clock),
      before_ns_(before_ns),
      begun_ns_(clock.now_ns()),
      spent_(before) {}

Spend::Grant Spend::reserve(const Cost& most) {
  const std::lock_guard lock(mutex_);
  return reserve_locked(most);
}

Spend::Grant Spend::wait_for(const Cost& most, const std::atomic<bool>& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.load()) {
    const Grant grant = reserve_locked(most);
    if (grant != Grant::wait) return grant;
    changed_.wait_for(lock, std::chrono::milliseconds(50));
  }
  return Grant::wait;
}

void Spend::settle(const Cost& reserved, const Cost& cost) {
  const std::lock_guard lock(mutex_);
  reserved_.tokens -= reserved.tokens;
  reserved_.usd -= reserved.usd;
  spent_ += cost;
  changed_.notify_all();
}

Cost Spend::spent() const {
  const std::lock_guard lock(mutex_);
  return spent_;
}

Cost Spend::reserved() const {
  const std::lock_guard lock(mutex_);
  return reserved_;
}

int64_t Spend::wall_ns() const { return before_ns_ + clock_.now_ns() - begun_ns_; }

std::string Spend::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void Spend::look(const Cost& most) {
  const std::lock_guard lock(mutex_);
  (void)is_over_locked(most);
}

bool Spend::fits(const Cost& used, const Cost& most) const {
  constexpr double kRounding = 1e-9;  // of sums of dollars
  return (!limits_.tokens || used.tokens + most.tokens <= *limits_.tokens) &&
         (!limits_.usd || used.usd + most.usd <= *limits_.usd + kRounding);
}

bool Spend::is_over_locked(const Cost& most) {
  if (limits_.wall_ns && wall_ns() >= *limits_.wall_ns) {
    ended_ = fmt::format("the {} of --spend are over", exact_duration(*limits_.wall_ns));
    return true;
  }
  if (fits(spent_, most)) return false;
  const bool tokens = limits_.tokens && spent_.tokens + most.tokens > *limits_.tokens;
  ended_ = tokens ? fmt::format("{} of {} tokens are spent, and one more call may take {}",
                                spent_.tokens, *limits_.tokens, most.tokens)
                  : fmt::format(
                        "{:.4f} of {} dollars are spent, and one more call may take "
                        "{:.4f}",
                        spent_.usd, *limits_.usd, most.usd);
  return true;
}

Spend::Grant Spend::reserve_locked(const Cost& most) {
  if (is_over_locked(most)) return Grant::over;
  Cost used = spent_;
  used += reserved_;
  if (!fits(used, most)) return Grant::wait;
  reserved_ += most;
  return Grant::granted;
}

}  // namespace assay

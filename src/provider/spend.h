// What a run may spend on models, and what it has: tokens, money, time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/status.h"
#include "provider/prices.h"
#include "provider/provider.h"

namespace assay {

// "2M-tokens,5usd,30m". Nothing: without a limit.
struct SpendLimits {
  std::optional<int64_t> tokens{};
  std::optional<double> usd{};
  std::optional<int64_t> wall_ns{};

  bool operator==(const SpendLimits&) const = default;
};
Result<SpendLimits> parse_spend(std::string_view text);
// As parse_spend() reads it.
std::string exact_spend(const SpendLimits& limits);

struct Cost {
  int64_t tokens = 0;
  double usd = 0;  // 0 of a model without a price

  Cost& operator+=(const Cost& other) {
    tokens += other.tokens;
    usd += other.usd;
    return *this;
  }
  bool operator==(const Cost&) const = default;
};

// Of an answer, as parameters have it.
int64_t token_limit(const Json& parameters);
// The parameter that it goes by, and whether one says the same, by that name or by OpenAI's newer.
inline constexpr const char* kTokenLimit = "max_tokens";
bool limits_tokens(std::string_view parameter);

// What a question may cost at most: as many tokens as its text can have, and the answer's limit.
Cost most_of(const Question& question, const std::string& model, const Prices& prices);
// What its answer did cost. Where nobody said, what it may have: `most` for each such call.
Cost cost_of(const Answer& answer, const Cost& most, const std::string& model,
             const Prices& prices);
// Where dollars are limited, the model needs a price. Says where to write one.
Status check_priced(const SpendLimits& limits, const std::string& model, const Prices& prices);

// Used by several threads. What was spent before (by the process that a run goes on from) is given
// at the start: what calls did cost, what those did at most of which nothing is known, since they
// were under way when it ended, and the time.
class Spend {
 public:
  enum class Grant {
    granted,
    wait,  // calls that are under way may leave enough
    over,  // there is too little left for it, whatever they cost
  };

  explicit Spend(SpendLimits limits, Cost before = {}, int64_t before_ns = 0,
                 const Clock& clock = system_clock());

  // Before a call, with what it costs at most.
  Grant reserve(const Cost& most);
  // Whether it is over for such a call, which ended() then says. Reserves nothing.
  void look(const Cost& most);
  // The same as reserve(), but waits while it is `wait`. Then `wait` says that `stop` became true.
  Grant wait_for(const Cost& most, const std::atomic<bool>& stop);
  // After a call: `reserved` is what was granted for it, all times together, `cost` what it came
  // to.
  void settle(const Cost& reserved, const Cost& cost);

  Cost spent() const;     // without what is under way
  Cost reserved() const;  // by what is under way
  int64_t wall_ns() const;
  // What ended it, in a sentence; "": nothing has.
  std::string ended() const;

 private:
  Grant reserve_locked(const Cost& most);
  bool is_over_locked(const Cost& most);
  bool fits(const Cost& used, const Cost& most) const;

  const SpendLimits limits_;
  const Clock& clock_;
  const int64_t before_ns_, begun_ns_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Cost spent_, reserved_;
  std::string ended_;
};

}  // namespace assay

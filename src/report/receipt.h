// What was said of an attempt, and of what exactly, signed: so whoever has a receipt sees whether a
// word of it was changed. It proves that whoever has the key said so, and no more.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/signature.h"
#include "model/attempt.h"
#include "model/run_record.h"

namespace assay {

inline constexpr int kReceiptFormat = 1;

// What is signed: names and hashes of all that decides a verdict, and the verdict.
Json receipt_of(const Attempt& attempt, const RunRecord& run, std::string_view windows);

struct Receipt {
  Json says;  // receipt_of()
  std::string key, signature;
};
Receipt sign_receipt(Json says, const SigningKey& key);
std::string to_text(const Receipt& receipt);
// Fails where it is none: with Code::corrupt where it was written otherwise than to_text() does, or
// its signature does not hold.
Result<Receipt> read_receipt(const std::string& text, const std::string& what);

// What a replay has to come to: "accepted, faster".
std::string verdict_of_receipt(const Json& says);
std::string verdict_of_receipt(const Attempt& attempt);

}  // namespace assay

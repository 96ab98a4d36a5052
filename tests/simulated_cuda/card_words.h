// Of the words on the card (run/cuda/mirror.h): the judge's gates, and one that tests write.
#pragma once

namespace simulated {

inline constexpr int kFirst = 0, kSecond = 1;
// Not 0: a candidate that works on when its window is over may go on.
inline constexpr int kAllowed = 100;

}  // namespace simulated

// What ThreadSanitizer has to be told of GNU's OpenMP, whose own synchronisation it does not see:
// it would call every parallel region a race.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace assay {

// A source, in C and in C++, that stands between a kernel and the library: it hands on each call,
// and says which other one it comes after. What begins a region comes before what its threads do,
// what they do comes before its end; all before a barrier comes before all behind it; and those
// within a critical section, or under one lock, come one after the other.
inline constexpr const char* kOpenmpOrderName = "openmp_order.c";
extern const char* const kOpenmpOrder;

// Of the functions of OpenMP that a library calls, one that the source does not know, so that its
// order is not known either; "" where it knows all. `symbols`: what the library leaves undefined.
std::string unknown_openmp(std::span<const std::string> symbols);

}  // namespace assay

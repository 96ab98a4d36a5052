// Loops compiled several times, for what the CPU at hand has: the build stays generic. None of them
// contracts a multiplication and an addition, and all add up in the order that is written, so every
// clone gives the same bits.
#pragma once

// Not under sanitizers: their run-time is not up yet when the dynamic linker chooses a clone.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ASSAY_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define ASSAY_CLONES
#endif

// What a clone calls must become part of it.
#define ASSAY_INLINE inline __attribute__((always_inline))

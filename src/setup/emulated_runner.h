// The native runner for a CPU that an emulator plays. A cross compiler makes it when code for that
// CPU is first to be called, and it is kept in the cache.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/disk.h"
#include "base/places.h"
#include "base/status.h"
#include "run/emulator.h"
#include "target/machine.h"

namespace assay {

inline constexpr std::string_view kEmulatedFolder = "emulated";  // of the cache

// Where it is kept in `folder`; need not be there. Its name says what it is made of, and by which
// compiler. Fails where that, or the source, is missing.
Result<std::string> emulated_runner_path(const Machine& machine, const Places& places,
                                         const PlayedCpu& cpu, const std::string& folder);

// Makes it there, ten seconds of a core, unless it is there already and whole. `tell` is called
// before that. Two processes make it once: the second waits.
Status make_emulated_runner(Disk& disk, const Machine& machine, const Places& places,
                            const PlayedCpu& cpu, const std::string& path,
                            const std::function<void()>& tell);

}  // namespace assay

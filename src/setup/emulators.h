// What is to be emulated needs an emulator, and a runner that was built for it.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>

#include "base/places.h"
#include "base/status.h"
#include "target/machine.h"
#include "target/target.h"

namespace assay {

// Of those that are here, the paths, by their names.
std::map<std::string, std::string, std::less<>> find_emulators(const Machine& machine);

// Hashes of emulators with what they run, by the runner that they are.
std::map<std::string_view, std::string> emulator_identities(
    const Disk& disk, const Places& places,
    const std::map<std::string, std::string, std::less<>>& found);

// Of targets that are to be emulated: fails where none of them is one that an emulator plays, and
// where that, or the runner that it is to play, is not here.
Status check_emulators(std::span<const Target> targets, const Places& places,
                       const Machine& machine);

}  // namespace assay

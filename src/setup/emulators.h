// What is to be emulated needs an emulator, and what that is to run.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>

#include "base/places.h"
#include "base/status.h"
#include "run/emulator.h"
#include "target/availability.h"
#include "target/machine.h"
#include "target/target.h"

namespace assay {

// The path by which it is found; "" where it is not here.
std::string find_emulator(const Machine& machine, const Emulator& emulator);
// Those that are here, with what is needed to use them. What they run is kept in `folder`, and need
// not be there yet.
FoundEmulators find_emulators(const Machine& machine, const Places& places,
                              const std::string& folder);

// Hashes of emulators with what they run, by the runner that they are.
std::map<std::string_view, std::string> emulator_identities(const Machine& machine,
                                                            const FoundEmulators& found);

// Whether the emulator can be used here, whatever for.
Availability is_usable(const Emulator& emulator, const Machine& machine);
// Whether one can call code for the target here. Not ready, with nothing missing, where none plays
// it.
Availability can_emulate(const Target& target, const Machine& machine);

// Of targets that are to be emulated: fails where none of them is one that an emulator plays, and
// where that, or what it is to run, is not here.
Status check_emulators(std::span<const Target> targets, const Machine& machine);

// Makes what their emulators are to run, where it is not in `folder` yet. `tell` hears of what
// takes long.
Status prepare_emulators(Disk& disk, const Machine& machine, const Places& places,
                         std::span<const Target> targets, const std::string& folder,
                         const std::function<void(const std::string& line)>& tell);

}  // namespace assay

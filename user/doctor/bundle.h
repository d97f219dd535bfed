// SPDX-License-Identifier: GPL-2.0-or-later
// A tar of what is known of this machine, for who helps from afar.
#pragma once

#include "base/result.h"
#include "doctor/report.h"

#include <filesystem>
#include <string>
#include <vector>

namespace causeway {

// Made anew (0600); an error where the file is there. No keys, no files that keys are in. The names
// of what is in it.
Result<std::vector<std::string>> write_bundle(World &world, const Facts &facts,
                                              const std::vector<Found> &found,
                                              const std::filesystem::path &file);

} // namespace causeway

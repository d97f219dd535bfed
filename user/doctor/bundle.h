// SPDX-License-Identifier: GPL-2.0-or-later
// An archive of the facts of this machine, for remote support.
#pragma once

#include "base/result.h"
#include "doctor/report.h"

#include <filesystem>
#include <string>
#include <vector>

namespace causeway {

// Makes the archive (mode 0600) and returns the names of the files in it. It contains no keys and
// no files with keys. Returns an error if the file exists.
Result<std::vector<std::string>> write_bundle(World &world, const Facts &facts,
                                              const std::vector<Found> &found,
                                              const std::filesystem::path &file);

} // namespace causeway

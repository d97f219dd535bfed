// SPDX-License-Identifier: GPL-2.0-or-later
// The fixes of doctor --fix.
#pragma once

#include "doctor/report.h"

#include <string>
#include <vector>

namespace causeway {

// Runs each verb once, then applies doctor's own changes as one entry of the journal. With @dry_run
// changes nothing. The answer reports each step and its result; its JSON is an array.
Answer fix(World &world, const std::vector<Found> &found, bool dry_run);

} // namespace causeway

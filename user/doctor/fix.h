// SPDX-License-Identifier: GPL-2.0-or-later
// What doctor --fix does.
#pragma once

#include "doctor/report.h"

#include <string>
#include <vector>

namespace causeway {

// Each verb once, then the changes of doctor's own as one entry of the journal. Says what was done,
// or would be; its JSON is an array: what each step was and what became of it.
Answer fix(World &world, const std::vector<Found> &found, bool dry_run);

} // namespace causeway

// SPDX-License-Identifier: GPL-2.0-or-later
// What doctor found, for people, programs, Nagios, and as the page of all findings.
#pragma once

#include "base/answer.h"
#include "doctor/finding.h"

#include <string>
#include <vector>

namespace causeway {

// What doctor exits with where something is wrong.
inline constexpr int exit_warnings = 10;
inline constexpr int exit_errors = 20;
// With --nagios, in the language of its plugins; OK is 0.
inline constexpr int nagios_warning = 1;
inline constexpr int nagios_critical = 2;
inline constexpr int nagios_unknown = 3;

struct Found {
    const Finding *finding = nullptr;
    Sighting sighting;
};

// The worst first.
std::vector<Found> examine(const Facts &facts);

// "findings", "looked_at", "unseen"; exit status 0, 10 or 20.
Answer report(const std::vector<Found> &found, const std::vector<std::string> &unseen);

// One line; exit status 0 to 3.
Answer nagios_report(const std::vector<Found> &found, const std::vector<std::string> &unseen);

// All that is looked for.
Answer list_findings();
// The same as docs/DOCTOR.md.
std::string findings_page();

} // namespace causeway

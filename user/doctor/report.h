// SPDX-License-Identifier: GPL-2.0-or-later
// The findings of doctor as text, as JSON, for Nagios, and as the page of all findings.
#pragma once

#include "base/answer.h"
#include "doctor/finding.h"

#include <string>
#include <vector>

namespace causeway {

// Exit statuses of doctor if there are warnings or errors.
inline constexpr int exit_warnings = 10;
inline constexpr int exit_errors = 20;
// Exit statuses with --nagios, as Nagios plugins define them; OK is 0.
inline constexpr int nagios_warning = 1;
inline constexpr int nagios_critical = 2;
inline constexpr int nagios_unknown = 3;

struct Found {
    const Finding *finding = nullptr;
    Sighting sighting;
};

// Returns the findings that apply, the most severe first.
std::vector<Found> examine(const Facts &facts);

// JSON: "findings", "looked_at", "unseen". Exit status: 0, 10 or 20.
Answer report(const std::vector<Found> &found, const std::vector<std::string> &unseen);

// Returns one line. Exit status: 0 to 3.
Answer nagios_report(const std::vector<Found> &found, const std::vector<std::string> &unseen);

// Returns all findings that exist.
Answer list_findings();
// Returns the text of docs/DOCTOR.md.
std::string findings_page();

} // namespace causeway

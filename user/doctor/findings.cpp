// SPDX-License-Identifier: GPL-2.0-or-later
#include "doctor/finding.h"

#include <algorithm>

namespace causeway {

namespace {

// The head of the list of rows. Initialised before any constructor of another file runs.
constinit const FindingRows *first_rows = nullptr;

} // namespace

std::string_view severity_word(Severity severity) {
    switch (severity) {
    case Severity::notice:
        return "notice";
    case Severity::warning:
        return "warning";
    default:
        return "error";
    }
}

FindingRows::FindingRows(const char *topic, Make make) noexcept
    : topic_(topic), make_(make), next_(first_rows) {
    first_rows = this;
}

std::vector<const FindingRows *> FindingRows::all() {
    std::vector<const FindingRows *> found;
    for (const FindingRows *rows = first_rows; rows != nullptr; rows = rows->next_) {
        found.push_back(rows);
    }
    std::sort(found.begin(), found.end(), [](const FindingRows *left, const FindingRows *right) {
        return left->topic_ < right->topic_;
    });
    return found;
}

const std::vector<Finding> &all_findings() {
    static const std::vector<Finding> findings = [] {
        std::vector<Finding> all;
        for (const FindingRows *rows : FindingRows::all()) {
            const auto more = rows->findings();
            all.insert(all.end(), more.begin(), more.end());
        }
        return all;
    }();
    return findings;
}

} // namespace causeway

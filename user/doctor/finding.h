// SPDX-License-Identifier: GPL-2.0-or-later
// What can be wrong with a machine, one entry each in the files of this folder. The identifiers are
// stable: scripts and docs/DOCTOR.md go by them.
#pragma once

#include "change/change_set.h"
#include "doctor/facts.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

enum class Severity {
    notice,  // works, could be better
    warning, // works badly, or will not after the next reboot
    error,   // does not work
};
std::string_view severity_word(Severity severity);

// One place where a finding applies.
struct Sighting {
    std::string subject{}; // "mlx4_0/1", "/mnt"; empty: the machine
    std::string what;      // a sentence without the full stop
    std::string fix;       // the command that puts it right, or the deed where there is none
    // What --fix does, one of the two at most: the words of a verb of ours, or changes of its own.
    std::vector<std::string> verb{};
    std::function<Result<void>(World &, ChangeSet &)> plan{};

    bool fixable() const { return !verb.empty() || plan; }
};

struct Finding {
    std::string_view id; // kebab-case
    Severity severity = Severity::warning;
    std::string_view what; // in general
    std::string_view why;  // it matters
    std::string_view fix;  // in general
    std::vector<Sighting> (*look)(const Facts &facts) = nullptr;
};

const std::vector<Finding> &all_findings();

// By theme, each in the file of its name.
std::vector<Finding> module_findings();
std::vector<Finding> port_findings();
std::vector<Finding> ipoib_findings();
std::vector<Finding> partition_findings();
std::vector<Finding> roce_findings();
std::vector<Finding> soft_findings();
std::vector<Finding> network_findings();
std::vector<Finding> disk_findings();
std::vector<Finding> service_findings();
std::vector<Finding> nfs_findings();
std::vector<Finding> limit_findings();
std::vector<Finding> log_findings();

// What log_findings() looks for in the kernel's log, each said by a source of kmod/.
std::vector<std::string_view> log_phrases();

} // namespace causeway

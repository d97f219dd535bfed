// SPDX-License-Identifier: GPL-2.0-or-later
// The problems that a machine can have. Each feature registers its findings. Identifiers never
// change, because scripts and docs/DOCTOR.md use them.
#pragma once

#include "change/change_set.h"
#include "doctor/facts.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

enum class Severity {
    notice,  // works, but could be better
    warning, // works badly, or will not work after the next reboot
    error,   // does not work
};
std::string_view severity_word(Severity severity);

// One object that has the problem of a finding.
struct Sighting {
    std::string subject{}; // "mlx4_0/1", "/mnt"; empty: the machine
    std::string what;      // a sentence without the full stop
    std::string fix; // the command that fixes the problem, or an action if there is no command
    // --fix runs at most one of the two: the words of a Causeway verb, or changes by doctor.
    std::vector<std::string> verb{};
    std::function<Result<void>(World &, ChangeSet &)> plan{};

    bool fixable() const { return !verb.empty() || plan; }
};

struct Finding {
    std::string_view id; // kebab-case
    Severity severity = Severity::warning;
    std::string_view what; // the problem in general
    std::string_view why;  // why the problem matters
    std::string_view fix;  // the fix in general
    std::vector<Sighting> (*look)(const Facts &facts) = nullptr;
};

// Registers the findings that a file implements. It is a static object at the end of the file.
class FindingRows {
  public:
    using Make = std::vector<Finding> (*)();

    // The rows of different files are in alphabetical order of @topic.
    FindingRows(const char *topic, Make make) noexcept;
    FindingRows(const FindingRows &) = delete;
    FindingRows &operator=(const FindingRows &) = delete;
    ~FindingRows() = default;

    // Returns all registered rows, by topic.
    static std::vector<const FindingRows *> all();
    std::vector<Finding> findings() const { return make_(); }

  private:
    std::string_view topic_;
    Make make_;
    const FindingRows *next_;
};

const std::vector<Finding> &all_findings();

} // namespace causeway

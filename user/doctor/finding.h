// SPDX-License-Identifier: GPL-2.0-or-later
// What can be wrong with a machine. Each feature registers its findings. The identifiers are
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

// Registers the findings that a file implements, as a static object at its end.
class FindingRows {
  public:
    using Make = std::vector<Finding> (*)();

    // @topic orders the rows of different files, by the alphabet.
    FindingRows(const char *topic, Make make) noexcept;
    FindingRows(const FindingRows &) = delete;
    FindingRows &operator=(const FindingRows &) = delete;
    ~FindingRows() = default;

    // All rows that are registered, by topic.
    static std::vector<const FindingRows *> all();
    std::vector<Finding> findings() const { return make_(); }

  private:
    std::string_view topic_;
    Make make_;
    const FindingRows *next_;
};

const std::vector<Finding> &all_findings();

// What the findings of the kernel's log look for in it, each said by a source of kmod/.
std::vector<std::string_view> log_phrases();

} // namespace causeway

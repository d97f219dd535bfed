// SPDX-License-Identifier: GPL-2.0-or-later
// Messages of Causeway's modules in the kernel's log, for findings.
#pragma once

#include "doctor/finding.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// A part of a message by which a finding knows the message. It is a static object of the file with
// the finding. A test checks that each phrase is in the sources of kmod/.
class LogPhrase {
  public:
    explicit LogPhrase(std::string_view text) noexcept;
    LogPhrase(const LogPhrase &) = delete;
    LogPhrase &operator=(const LogPhrase &) = delete;
    ~LogPhrase() = default;

    std::string_view text() const { return text_; }
    // Returns all registered phrases, in no defined order.
    static std::vector<const LogPhrase *> all();

  private:
    std::string_view text_;
    const LogPhrase *next_;
};

struct LogLines {
    std::size_t count = 0;
    std::string last; // without the name of the module
};

// Returns the lines of Causeway's modules that contain this phrase.
LogLines lines_with(const Facts &facts, const LogPhrase &phrase);

// Returns the problem in one sentence: @meaning with the last line. Returns nothing if there are
// fewer than @least lines.
std::vector<Sighting> log_sighting(const LogLines &lines, std::string_view meaning, std::string fix,
                                   std::size_t least = 1);

} // namespace causeway

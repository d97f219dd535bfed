// SPDX-License-Identifier: GPL-2.0-or-later
#include "transport/child.h"

#include <fmt/format.h>

namespace causeway {

void fail(Answer &answer, const std::string &why, ExitCode code) {
    answer.warnings.push_back(why);
    answer.code = code;
}

std::string first_words(const ProcessEnd &end) {
    // "causeway: the reason", and a line of what to do about it.
    constexpr std::string_view start = "causeway: ";
    const std::string line = end.err.substr(0, end.err.find('\n'));
    return line.substr(0, start.size()) == start ? line.substr(start.size()) : line;
}

std::string why_not(const Result<ProcessEnd> &end, std::chrono::seconds limit) {
    return !end             ? end.error().what
           : end->timed_out ? fmt::format("no end within {} s", limit.count())
                            : first_words(*end);
}

ExitCode code_of(const Result<ProcessEnd> &end) {
    return end && !end->timed_out ? static_cast<ExitCode>(end->status) : ExitCode::failed;
}

} // namespace causeway

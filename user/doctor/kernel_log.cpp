// SPDX-License-Identifier: GPL-2.0-or-later
#include "doctor/kernel_log.h"

#include <fmt/format.h>

namespace causeway {

namespace {

// The head of the list of phrases. Initialised before any constructor of another file runs.
constinit const LogPhrase *first_phrase = nullptr;

std::string quoted(const LogLines &lines, std::string_view meaning) {
    return lines.count == 1
               ? fmt::format("{}: \"{}\"", meaning, lines.last)
               : fmt::format("{}, {} times, at last: \"{}\"", meaning, lines.count, lines.last);
}

const LogPhrase connection_lost("connection lost: ");
const LogPhrase nfs_connection_lost("the connection was lost: ");
constexpr std::size_t often = 3;

// One finding for disks and NFS, because the cause is the same.
std::vector<Sighting> lost(const Facts &facts) {
    LogLines lines = lines_with(facts, connection_lost);
    const LogLines nfs = lines_with(facts, nfs_connection_lost);
    lines.count += nfs.count;
    lines.last = nfs.count != 0 ? nfs.last : lines.last;
    return log_sighting(lines, "connections were lost",
                        "causeway net; and see the cable: causeway doctor", often);
}

const FindingRows link_findings("log-link", [] {
    return std::vector<Finding>{
        {"log-connections-lost", Severity::warning, "connections were lost again and again",
         "Each loss costs seconds of waiting. A cable, a switch or a busy peer is behind it.",
         "causeway net", lost},
    };
});

} // namespace

LogPhrase::LogPhrase(std::string_view text) noexcept : text_(text), next_(first_phrase) {
    first_phrase = this;
}

std::vector<const LogPhrase *> LogPhrase::all() {
    std::vector<const LogPhrase *> found;
    for (const LogPhrase *phrase = first_phrase; phrase != nullptr; phrase = phrase->next_) {
        found.push_back(phrase);
    }
    return found;
}

LogLines lines_with(const Facts &facts, const LogPhrase &phrase) {
    LogLines lines;
    for (const std::string &line : facts.log) {
        const bool ours =
            line.rfind("causeway: ", 0) == 0 || line.rfind("causeway_rpcrdma: ", 0) == 0;
        if (ours && line.find(phrase.text()) != std::string::npos) {
            lines.count++;
            lines.last = line.substr(line.find(": ") + 2);
        }
    }
    return lines;
}

std::vector<Sighting> log_sighting(const LogLines &lines, std::string_view meaning, std::string fix,
                                   std::size_t least) {
    if (lines.count < least) {
        return {};
    }
    return {{"", quoted(lines, meaning), std::move(fix)}};
}

} // namespace causeway

// SPDX-License-Identifier: GPL-2.0-or-later
#include "doctor/report.h"

#include "show/columns.h"
#include "show/paragraph.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

std::size_t count(const std::vector<Found> &found, Severity severity) {
    return static_cast<std::size_t>(
        std::count_if(found.begin(), found.end(),
                      [&](const Found &each) { return each.finding->severity == severity; }));
}

std::string counted(std::size_t number, std::string_view word) {
    return fmt::format("{} {}{}", number, word, number == 1 ? "" : "s");
}

// Returns "2 errors, 1 warning, 3 notices", without severities that do not occur.
std::string summary(const std::vector<Found> &found) {
    std::vector<std::string> parts;
    for (const Severity severity : {Severity::error, Severity::warning, Severity::notice}) {
        if (const std::size_t number = count(found, severity); number != 0) {
            parts.push_back(counted(number, severity_word(severity)));
        }
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

Json found_json(const Found &found) {
    const Sighting &it = found.sighting;
    return {{"id", found.finding->id},
            {"severity", severity_word(found.finding->severity)},
            {"subject", it.subject.empty() ? Json(nullptr) : Json(it.subject)},
            {"what", it.what},
            {"why", found.finding->why},
            {"fix", it.fix},
            {"fixable", it.fixable()}};
}

constexpr std::array introduction = {
    std::string_view(
        "The findings about adapters, ports and subnets were not run on hardware. Their tests use "
        "files and output of programs that were written for the tests, RDMA by software and a "
        "simulated HCA."),
    std::string_view("Exit status: 0 nothing above a notice, 10 warnings, 20 errors; with "
                     "`--nagios` 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN (something could not be "
                     "looked at, and nothing else is wrong)."),
    std::string_view(
        "An error does not work. A warning works badly, or will not after the next reboot. A "
        "notice could be better. Identifiers stay as they are. The report names the device, file "
        "or disk in question, and the command with it filled in."),
    std::string_view(
        "It reads only: `/sys`, `/proc`, files below `/etc`, the log of the kernel, and what `ip`, "
        "`modinfo`, `systemctl`, `ethtool`, `dcb`, `nft`, `ufw` and `firewall-cmd` say where they "
        "are installed. On the host of the subnet manager it asks the fabric for the rates of its "
        "ports (`ibnetdiscover`) if a partition has a rate. To a peer of a connection whose "
        "interface has an MTU above 1500, and to at "
        "most four neighbours of IP over InfiniBand, it sends two pings. The bundle holds no key, "
        "no file that a key is in, and no content of disks."),
    std::string_view(
        "`--fix` runs verbs of Causeway, or changes of its own that are journalled as theirs are. "
        "`causeway undo` takes back what `causeway undo --list` shows: not `restore`, `soft "
        "renew`, `nfs transport` and `nfs remount`. It opens no firewall, detaches no disk and "
        "touches no file of another package. `nfs remount` unmounts a folder and mounts it again."),
};

// Breaks a text into lines of the width of documents.
std::string document_paragraph(std::string_view text) {
    return fmt::format("{}\n", fmt::join(wrap(text, 100), "\n"));
}

} // namespace

std::vector<Found> examine(const Facts &facts) {
    std::vector<Found> found;
    for (const Finding &finding : all_findings()) {
        for (Sighting &sighting : finding.look(facts)) {
            found.push_back({&finding, std::move(sighting)});
        }
    }
    std::stable_sort(found.begin(), found.end(), [](const Found &left, const Found &right) {
        return left.finding->severity > right.finding->severity;
    });
    return found;
}

Answer report(const std::vector<Found> &found, const std::vector<std::string> &unseen) {
    Answer answer;
    answer.json["findings"] = Json::array();
    answer.json["looked_at"] = all_findings().size();
    answer.json["unseen"] = unseen;
    for (std::size_t i = 0; i < found.size(); i++) {
        const Finding &finding = *found[i].finding;
        const Sighting &sighting = found[i].sighting;
        answer.json["findings"].push_back(found_json(found[i]));
        if (i == 0 || found[i - 1].finding != &finding) {
            answer.text += fmt::format("{}: {}\n", severity_word(finding.severity), finding.id);
        }
        answer.text += paragraph(sighting.what, 2);
        answer.text += fmt::format("    {}\n", sighting.fix);
        if (i + 1 == found.size() || found[i + 1].finding != &finding) {
            answer.text += paragraph(finding.why, 2) + "\n";
        }
    }
    if (found.empty()) {
        answer.text = fmt::format("nothing is wrong, of {} things that were looked at\n",
                                  all_findings().size());
    } else {
        answer.text += summary(found) + "\n";
    }
    if (std::any_of(found.begin(), found.end(),
                    [](const Found &each) { return each.sighting.fixable(); })) {
        answer.text += "causeway doctor --fix fixes a part of it; with --dry-run it shows how\n";
    }
    for (const std::string &each : unseen) {
        answer.warnings.push_back("not looked at: " + each);
    }
    answer.code = static_cast<ExitCode>(count(found, Severity::error) != 0     ? exit_errors
                                        : count(found, Severity::warning) != 0 ? exit_warnings
                                                                               : 0);
    return answer;
}

Answer nagios_report(const std::vector<Found> &found, const std::vector<std::string> &unseen) {
    const std::size_t errors = count(found, Severity::error);
    const std::size_t warnings = count(found, Severity::warning);
    struct State {
        std::string_view word;
        int code;
    };
    const State state = errors != 0       ? State{"CRITICAL", nagios_critical}
                        : warnings != 0   ? State{"WARNING", nagios_warning}
                        : !unseen.empty() ? State{"UNKNOWN", nagios_unknown}
                                          : State{"OK", 0};
    std::vector<std::string_view> names;
    for (const Found &each : found) {
        const bool counts = each.finding->severity != Severity::notice;
        if (counts && (names.empty() || names.back() != each.finding->id)) {
            names.push_back(each.finding->id);
        }
    }
    const std::string said = !names.empty() ? fmt::format("{}", fmt::join(names, " "))
                             : unseen.empty()
                                 ? fmt::format("{} things were looked at", all_findings().size())
                                 : "not looked at: " + unseen.front();
    Answer answer;
    answer.text = fmt::format("CAUSEWAY {} - {} | errors={} warnings={} notices={}\n", state.word,
                              said, errors, warnings, count(found, Severity::notice));
    answer.json = {
        {"state", state.word}, {"findings", names}, {"errors", errors}, {"warnings", warnings}};
    answer.code = static_cast<ExitCode>(state.code);
    return answer;
}

Answer list_findings() {
    Answer answer;
    answer.json["known"] = Json::array();
    for (const Finding &finding : all_findings()) {
        answer.json["known"].push_back({{"id", finding.id},
                                        {"severity", severity_word(finding.severity)},
                                        {"what", finding.what},
                                        {"why", finding.why},
                                        {"fix", finding.fix}});
        answer.text += fmt::format("{:<7}  {}\n", severity_word(finding.severity), finding.id);
        answer.text += paragraph(finding.what, 9);
    }
    return answer;
}

std::string findings_page() {
    std::string page =
        "<!-- SPDX-License-Identifier: GPL-2.0-or-later -->\n"
        "<!-- Made from the findings of user/ by: causeway doctor --list --markdown -->\n"
        "# Findings of `causeway doctor`\n\n"
        "    # causeway doctor                     shows problems, their causes and fixes\n"
        "    # causeway doctor --fix --dry-run     shows what --fix would change\n"
        "    # causeway doctor --fix               fixes what Causeway can fix\n"
        "    # causeway doctor --bundle FILE.tgz   writes all facts of this machine, for a report\n"
        "    # causeway doctor --nagios            prints one line for a monitoring system\n";
    for (const std::string_view text : introduction) {
        page += "\n" + document_paragraph(text);
    }
    for (const Severity severity : {Severity::error, Severity::warning, Severity::notice}) {
        std::string title(severity_word(severity));
        title.front() = static_cast<char>(title.front() - 'a' + 'A');
        page += fmt::format("\n## {}s\n", title);
        for (const Finding &finding : all_findings()) {
            if (finding.severity == severity) {
                page += fmt::format(
                    "\n### {}\n{}\n    {}\n", finding.id,
                    document_paragraph(fmt::format("{}. {}", finding.what, finding.why)),
                    finding.fix);
            }
        }
    }
    return page;
}

} // namespace causeway

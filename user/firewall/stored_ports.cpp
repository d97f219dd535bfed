// SPDX-License-Identifier: GPL-2.0-or-later
#include "firewall/stored_ports.h"

#include "base/append_once.h"
#include "base/durable_file.h"
#include "change/journal.h"
#include "config/file_header.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <sstream>

namespace causeway {

namespace {

/* ---- firewalld: has a running and a permanent configuration ---- */

std::string firewalld_option(const char *action, const OpenPort &port) {
    if (port.from.empty()) {
        return fmt::format("--{}-port={}", action, port.text());
    }
    return fmt::format("--{}-rich-rule=rule family=\"{}\" source address=\"{}\" port port=\"{}\" "
                       "protocol=\"{}\" accept",
                       action, port.by_ipv6() ? "ipv6" : "ipv4", port.from, port.port,
                       port.protocol);
}

// Returns the port that an option opens or closes (@action): the reverse of firewalld_option().
std::optional<OpenPort> port_of_option(const std::string &option, const char *action) {
    const std::string plain = fmt::format("--{}-port=", action);
    std::string phrase;
    if (option.compare(0, plain.size(), plain) == 0) {
        phrase = option.substr(plain.size()) + " from any";
    } else {
        const auto value_of = [&](const std::string &name) {
            const std::string start = name + "=\"";
            const std::size_t at = option.find(start);
            const std::size_t from = at + start.size();
            return at == std::string::npos ? ""
                                           : option.substr(from, option.find('"', from) - from);
        };
        phrase = fmt::format("{}/{} from {}", value_of(" port"), value_of("protocol"),
                             value_of("address"));
    }
    const auto port = parse_open_port(phrase);
    // The same option again, to be sure that each part was understood.
    return port && firewalld_option(action, *port) == option ? std::optional(*port) : std::nullopt;
}

// Adds the port that a program opened for good, or removes the port that the program closed.
void follow_program(const std::vector<std::string> &words, std::vector<ZonePort> &ports) {
    constexpr std::size_t count = 4; // firewall-cmd --zone=ZONE --permanent OPTION
    const std::string zone_option = "--zone=";
    if (words.size() != count || words[0] != "firewall-cmd" || words[2] != "--permanent" ||
        words[1].compare(0, zone_option.size(), zone_option) != 0) {
        return;
    }
    const std::string zone = words[1].substr(zone_option.size());
    if (const auto opened = port_of_option(words[3], "add")) {
        append_once(ports, ZonePort{zone, *opened});
    } else if (const auto closed = port_of_option(words[3], "remove")) {
        ports.erase(std::remove(ports.begin(), ports.end(), ZonePort{zone, *closed}), ports.end());
    }
}

// Returns the ports that changes of the journal opened and that no later one closed. Earlier
// versions kept no record beside the journal. What cannot be read of the journal is left out.
std::vector<ZonePort> ports_in_journal(const World &world) {
    std::vector<ZonePort> ports;
    std::map<unsigned int, Error> unread;
    const auto entries = Journal(world.places.journal()).entries(unread);
    if (!entries) {
        return ports;
    }
    for (const JournalEntry &entry : *entries) {
        if (entry.state != "done") {
            continue;
        }
        for (const ChangePointer &change : entry.changes) {
            const Json json = change->json();
            if (json.value("kind", "") == "program") {
                follow_program(json.at("run").get<std::vector<std::string>>(), ports);
            }
        }
    }
    return ports;
}

// Adds the programs that open the port, or close it. Returns true if the permanent configuration
// changes. A port that an administrator keeps open is not Causeway's, even if it is not open now.
Result<bool> plan_port_of_firewalld(World &world, const ZonePort &wanted, bool opens,
                                    ChangeSet &set) {
    bool plans = false;
    for (const bool lasting : {true, false}) {
        std::vector<std::string> words = {"firewall-cmd", "--zone=" + wanted.zone};
        if (lasting) {
            words.emplace_back("--permanent");
        }
        const auto with = [&](const char *action) {
            auto all = words;
            all.push_back(firewalld_option(action, wanted.port));
            return all;
        };
        auto open = TRY(world.processes.run(with("query")));
        // firewalld prints yes or no. Any other output is an error, such as an unknown zone.
        if (!open.good() && open.out != "no") {
            return Error{ExitCode::usage, fmt::format("firewalld refuses: {}", open.last_words()),
                         "see its zones: firewall-cmd --get-zones"};
        }
        if (open.good() != opens) {
            set.add(change_program(with(opens ? "add" : "remove"), with(opens ? "remove" : "add")));
            plans = plans || lasting;
        }
    }
    return plans;
}

std::filesystem::path record_place(const World &world) {
    return world.places.firewall_ports().parent_path() / "firewalld.ports";
}

Result<void> write_record(const World &world, const std::vector<ZonePort> &ports, ChangeSet &set) {
    if (ports.empty()) {
        return set.remove(record_place(world));
    }
    std::string text = our_header("firewall open");
    for (const ZonePort &each : ports) {
        text += fmt::format("{} {}\n", each.zone, each.port.phrase());
    }
    return set.write(record_place(world), text);
}

} // namespace

Result<std::optional<Firewall>> parse_firewall(const std::optional<std::string> &name) {
    if (!name) {
        return std::optional<Firewall>();
    }
    for (const Firewall one : {Firewall::firewalld, Firewall::ufw, Firewall::nftables}) {
        if (firewall_name(one) == *name) {
            return std::optional(one);
        }
    }
    return Error{ExitCode::usage, fmt::format("--backend '{}' is no firewall", *name),
                 "give firewalld, ufw or nftables"};
}

Result<std::vector<ZonePort>> opened_in_firewalld(const World &world) {
    std::vector<ZonePort> ports;
    auto text = TRY(read_small_file(record_place(world)));
    std::istringstream lines(text.value_or(""));
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line.front() == '#') {
            continue;
        }
        const std::size_t blank = line.find(' ');
        auto port = parse_open_port(blank == std::string::npos ? "" : line.substr(blank + 1));
        if (!port || blank == 0) {
            return Error{
                ExitCode::bad_config,
                fmt::format("{}: '{}' is no zone and port", record_place(world).string(), line),
                "write it as in: public 4791/udp from any"};
        }
        append_once(ports, ZonePort{line.substr(0, blank), *port});
    }
    for (const ZonePort &each : ports_in_journal(world)) {
        append_once(ports, each);
    }
    return ports;
}

Result<void> plan_open_firewalld(World &world, const std::vector<std::string> &zones,
                                 const std::vector<OpenPort> &ports, ChangeSet &set) {
    auto record = TRY(opened_in_firewalld(world));
    for (const std::string &zone : zones) {
        for (const OpenPort &port : ports) {
            auto plans = TRY(plan_port_of_firewalld(world, {zone, port}, true, set));
            if (plans) {
                append_once(record, ZonePort{zone, port});
            }
        }
    }
    return set.empty() ? Result<void>() : write_record(world, record, set);
}

Result<void> plan_close_firewalld(World &world, const std::vector<ZonePort> &ports,
                                  ChangeSet &set) {
    if (ports.empty()) {
        return {};
    }
    if (world.processes.there("firewall-cmd")) {
        auto state = TRY(world.processes.run({"firewall-cmd", "--state"}));
        if (!state.good()) {
            return Error{ExitCode::unavailable,
                         "firewalld does not run, so that its ports cannot be closed",
                         "systemctl start firewalld, then run this again"};
        }
        for (const ZonePort &each : ports) {
            TRY(plan_port_of_firewalld(world, each, false, set));
        }
    }
    auto record = TRY(opened_in_firewalld(world));
    record.erase(std::remove_if(record.begin(), record.end(),
                                [&](const ZonePort &each) {
                                    return std::find(ports.begin(), ports.end(), each) !=
                                           ports.end();
                                }),
                 record.end());
    return write_record(world, record, set);
}

/* ---- ufw ---- */

namespace {

constexpr std::string_view ufw_comment = " comment 'causeway'";

// Returns the words after "ufw allow", in the form of "ufw show added".
std::vector<std::string> ufw_words(const OpenPort &port) {
    if (port.from.empty()) {
        return {port.text()};
    }
    // ufw writes a network of one host as an address.
    std::string from = port.from;
    for (const std::string_view one_host : {"/32", "/128"}) {
        const std::size_t slash = from.rfind('/');
        if (slash != std::string::npos && from.substr(slash) == one_host &&
            port.by_ipv6() == (one_host == "/128")) {
            from.resize(slash);
        }
    }
    return {"from",  from,         "to", "any", "port", fmt::format("{}", port.port),
            "proto", port.protocol};
}

// Parses a line of "ufw show added". Returns none if the rule is not Causeway's.
std::optional<OpenPort> parse_ufw_rule(const std::string &line) {
    const std::size_t comment = line.rfind(ufw_comment);
    if (comment == std::string::npos || comment + ufw_comment.size() != line.size()) {
        return std::nullopt;
    }
    std::istringstream stream(line.substr(0, comment));
    std::vector<std::string> words;
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    std::string phrase;
    if (words.size() == 3) {
        phrase = words[2] + " from any";
    } else if (words.size() == 10) {
        phrase = fmt::format("{}/{} from {}", words[7], words[9], words[3]);
    }
    auto port = parse_open_port(phrase);
    // The same rule again, to be sure that each word was understood.
    return port && line.substr(0, comment) ==
                       fmt::format("ufw allow {}", fmt::join(ufw_words(*port), " "))
               ? std::optional(*port)
               : std::nullopt;
}

std::vector<std::string> ufw_allow(const OpenPort &port) {
    std::vector<std::string> words = {"ufw", "allow"};
    const auto rule = ufw_words(port);
    words.insert(words.end(), rule.begin(), rule.end());
    words.insert(words.end(), {"comment", "causeway"});
    return words;
}

std::vector<std::string> ufw_delete(const OpenPort &port) {
    std::vector<std::string> words = {"ufw", "delete", "allow"};
    const auto rule = ufw_words(port);
    words.insert(words.end(), rule.begin(), rule.end());
    return words;
}

} // namespace

Result<std::vector<OpenPort>> opened_in_ufw(World &world) {
    auto added = TRY(world.processes.run({"ufw", "show", "added"}));
    if (!added.good()) {
        return Error{ExitCode::failed,
                     fmt::format("\"ufw show added\" failed: {}", added.last_words())};
    }
    std::vector<OpenPort> ports;
    std::istringstream lines(added.out);
    for (std::string line; std::getline(lines, line);) {
        if (const auto port = parse_ufw_rule(line)) {
            append_once(ports, *port);
        }
    }
    return ports;
}

Result<void> plan_open_ufw(World &world, const std::vector<OpenPort> &ports, ChangeSet &set) {
    auto added = TRY(world.processes.run({"ufw", "show", "added"}));
    for (const OpenPort &port : ports) {
        const std::string rule = fmt::format("ufw allow {}", fmt::join(ufw_words(port), " "));
        std::istringstream lines(added.out);
        bool open = false;
        for (std::string line; std::getline(lines, line);) {
            open = open || line == rule || line.substr(0, rule.size() + 1) == rule + " ";
        }
        if (!open) {
            set.add(change_program(ufw_allow(port), ufw_delete(port)));
        }
    }
    return {};
}

void plan_close_ufw(const std::vector<OpenPort> &ports, ChangeSet &set) {
    for (const OpenPort &port : ports) {
        set.add(change_program(ufw_delete(port), ufw_allow(port)));
    }
}

} // namespace causeway

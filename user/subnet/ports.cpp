// SPDX-License-Identifier: GPL-2.0-or-later
#include "subnet/ports.h"

#include "host/rdma_devices.h"
#include "subnet/partitions.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

std::string hex_digits(const std::string &gid) {
    std::string digits;
    std::copy_if(gid.begin(), gid.end(), std::back_inserter(digits),
                 [](char c) { return c != ':'; });
    return digits;
}

unsigned int lid_of(const std::string &text) {
    return static_cast<unsigned int>(std::strtoul(text.c_str(), nullptr, 16));
}

Error no_port(const std::string &typed, const std::vector<SubnetPort> &ports) {
    std::vector<std::string> there;
    for (const SubnetPort &each : ports) {
        there.push_back(fmt::format("{} ({})", each.text(), each.guid));
    }
    return Error{ExitCode::unavailable,
                 typed.empty() ? "this machine has no port of InfiniBand"
                               : fmt::format("there is no port {} of InfiniBand here", typed),
                 there.empty() ? "see what there is: causeway show"
                               : fmt::format("there are {}", fmt::join(there, ", "))};
}

// Returns the GUID that the word is; "" if the word is the name of a device or port.
Result<std::string> guid_of(const std::vector<SubnetPort> &ports, const std::string &word) {
    const bool by_name = std::any_of(ports.begin(), ports.end(), [&](const SubnetPort &each) {
        return each.device == word.substr(0, word.find('/'));
    });
    if (by_name || (word.substr(0, 2) != "0x" && word.find(':') == std::string::npos)) {
        return std::string();
    }
    return canonical_guid(word);
}

template <typename Value> bool is_in(const std::vector<Value> &values, const Value &value) {
    return std::find(values.begin(), values.end(), value) != values.end();
}

} // namespace

std::string SubnetPort::text() const {
    return fmt::format("{}/{}", device, port);
}

std::vector<SubnetPort> subnet_ports(KernelFiles &files) {
    std::vector<SubnetPort> ports;
    for (const RdmaDevice &device : rdma_devices(files)) {
        for (const RdmaPort &port : device.ports) {
            const std::string gid = port.gids.empty() ? "" : hex_digits(port.gids.front().gid);
            if (port.link_layer == "InfiniBand" && gid.size() == 32) {
                ports.push_back({device.name, port.number, "0x" + gid.substr(16),
                                 "0x" + gid.substr(0, 16), port.state, port.rate, lid_of(port.lid),
                                 lid_of(port.sm_lid)});
            }
        }
    }
    return ports;
}

Result<std::vector<SubnetPort>> choose_ports(const std::vector<SubnetPort> &ports,
                                             const std::vector<std::string> &typed) {
    if (ports.empty()) {
        return no_port("", ports);
    }
    if (typed.empty()) {
        return ports;
    }
    std::vector<SubnetPort> chosen;
    for (const std::string &word : typed) {
        auto guid = TRY(guid_of(ports, word));
        const std::size_t before = chosen.size();
        std::copy_if(ports.begin(), ports.end(), std::back_inserter(chosen),
                     [&](const SubnetPort &each) {
                         return each.guid == guid || each.text() == word || each.device == word;
                     });
        if (chosen.size() == before) {
            return no_port(word, ports);
        }
    }
    return chosen;
}

Result<std::vector<std::string>> choose_enabled(const std::vector<SubnetPort> &ports,
                                                const std::vector<std::string> &enabled,
                                                const std::vector<std::string> &typed,
                                                bool others_too) {
    std::vector<std::string> chosen;
    for (const std::string &word : typed) {
        auto guid = TRY(guid_of(ports, word));
        if (is_in(enabled, guid)) {
            chosen.push_back(guid);
            continue;
        }
        auto named = TRY(choose_ports(ports, {word}));
        const std::size_t before = chosen.size();
        for (const SubnetPort &port : named) {
            if (is_in(enabled, port.guid)) {
                chosen.push_back(port.guid);
            }
        }
        if (chosen.size() == before && !others_too) {
            return Error{ExitCode::unavailable,
                         fmt::format("causeway enabled no subnet manager on {}", word),
                         fmt::format("causeway sm enable {}", word)};
        }
    }
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    return chosen;
}

} // namespace causeway

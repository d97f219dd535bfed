// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/firewall.h"

#include "base/prefix.h"
#include "base/units.h"
#include "host/nftables.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace causeway {

std::string_view firewall_name(Firewall firewall) {
    switch (firewall) {
    case Firewall::firewalld:
        return "firewalld";
    case Firewall::ufw:
        return "ufw";
    case Firewall::nftables:
        break;
    }
    return "nftables";
}

std::string OpenPort::text() const {
    return fmt::format("{}/{}", port, protocol);
}

std::string OpenPort::phrase() const {
    return fmt::format("{} from {}", text(), from.empty() ? "any" : from);
}

Result<OpenPort> parse_open_port(const std::string &phrase) {
    const std::size_t slash = phrase.find('/');
    const std::size_t middle = phrase.find(" from ");
    const Error wrong{ExitCode::bad_config, fmt::format("'{}' is no port to open", phrase),
                      "write it as in: 4791/udp from any"};
    if (slash == std::string::npos || middle == std::string::npos || middle < slash) {
        return wrong;
    }
    auto number = parse_number("port", phrase.substr(0, slash), 1, UINT16_MAX);
    OpenPort port{phrase.substr(slash + 1, middle - slash - 1),
                  static_cast<std::uint16_t>(number ? *number : 0), phrase.substr(middle + 6)};
    if (!number || (port.protocol != "tcp" && port.protocol != "udp")) {
        return wrong;
    }
    if (port.from == "any") {
        port.from.clear();
        return port;
    }
    auto network = parse_prefix(port.from, "port from");
    if (!network) {
        return wrong;
    }
    port.from = network->text();
    return port;
}

std::vector<OpenPort> rdma_ports(const std::vector<RdmaDevice> &devices, std::uint16_t service) {
    const auto has = [&](std::string_view kind) {
        return std::any_of(devices.begin(), devices.end(),
                           [&](const RdmaDevice &device) { return device.soft == kind; });
    };
    std::vector<OpenPort> ports;
    if (has("siw")) {
        ports.push_back({"tcp", service});
    }
    if (has("rxe")) {
        ports.push_back({"udp", roce_port});
    }
    return ports;
}

Result<std::optional<Firewall>> find_firewall(World &world, const std::vector<OpenPort> &ports) {
    const auto says = [&](const std::vector<std::string> &words,
                          std::string_view wanted) -> Result<bool> {
        if (!world.processes.there(words.front())) {
            return false;
        }
        auto end = TRY(world.processes.run(words));
        return end.good() && end.out.substr(0, wanted.size()) == wanted;
    };
    struct Sign {
        Firewall firewall;
        std::vector<std::string> words;
        std::string_view answer;
    };
    const std::array signs = {
        Sign{Firewall::firewalld, {"firewall-cmd", "--state"}, "running"},
        Sign{Firewall::ufw, {"ufw", "status"}, "Status: active"},
    };
    for (const Sign &sign : signs) {
        auto runs = TRY(says(sign.words, sign.answer));
        if (runs) {
            return std::optional(sign.firewall);
        }
    }
    if (!world.processes.there("nft")) {
        return std::optional<Firewall>();
    }
    auto rules = TRY(read_nftables(world));
    for (const OpenPort &port : ports) {
        auto chains = TRY(rules.closing(port));
        if (!chains.empty()) {
            return std::optional(Firewall::nftables);
        }
    }
    return std::optional<Firewall>();
}

} // namespace causeway

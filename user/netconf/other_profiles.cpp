// SPDX-License-Identifier: GPL-2.0-or-later
#include "netconf/other_profiles.h"

#include "profiles/profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

namespace {

std::vector<std::string> address_texts(const InterfaceSettings &settings, bool v6) {
    std::vector<std::string> texts;
    for (const InterfaceAddress &each : settings.addresses) {
        if (each.is_v6() == v6) {
            texts.push_back(each.text());
        }
    }
    return texts;
}

std::vector<std::string> host_texts(const std::vector<SocketAddress> &hosts, bool v6) {
    std::vector<std::string> texts;
    for (const SocketAddress &each : hosts) {
        if ((each.family() == AF_INET6) == v6) {
            texts.push_back(each.host_text());
        }
    }
    return texts;
}

std::string join(const std::vector<std::string> &words, std::string_view between) {
    return fmt::format("{}", fmt::join(words, between));
}

std::string nmcli_lines(const InterfaceSettings &asked, const Profile &profile) {
    std::string words;
    words += asked.mode.empty() ? "" : fmt::format(" infiniband.transport-mode {}", asked.mode);
    words += asked.mtu ? fmt::format(" infiniband.mtu {}", *asked.mtu) : "";
    for (const bool v6 : {false, true}) {
        const std::string family = v6 ? "ipv6" : "ipv4";
        const auto add = [&](std::string_view key, const std::vector<std::string> &values) {
            words += values.empty() ? "" : fmt::format(" {}.{} {}", family, key, join(values, ","));
        };
        if (!address_texts(asked, v6).empty()) {
            words += fmt::format(" {}.method manual", family);
        }
        add("addresses", address_texts(asked, v6));
        add("gateway", host_texts(asked.gateways, v6));
        add("dns", host_texts(asked.dns, v6));
    }
    const std::string id = profile.name.empty() ? profile.place.stem().string() : profile.name;
    return fmt::format("nmcli connection modify '{0}'{1}; nmcli connection up '{0}'", id, words);
}

// Formats of the lines "key value". Each manager has its own keys for the same settings.
struct Keys {
    const char *mode; // format for mode and interface; null: the manager has no setting
    const char *mtu;
    const char *address;
    const char *gateway;
    const char *dns;
};

std::string file_lines(const InterfaceSettings &asked, const Keys &keys) {
    std::vector<std::string> lines;
    if (keys.mode != nullptr && !asked.mode.empty()) {
        lines.push_back(fmt::format(fmt::runtime(keys.mode), asked.mode, asked.name));
    }
    if (asked.mtu) {
        lines.push_back(fmt::format(fmt::runtime(keys.mtu), *asked.mtu));
    }
    for (const bool v6 : {false, true}) {
        for (const std::string &each : address_texts(asked, v6)) {
            lines.push_back(fmt::format(fmt::runtime(keys.address), each));
        }
        for (const std::string &each : host_texts(asked.gateways, v6)) {
            lines.push_back(fmt::format(fmt::runtime(keys.gateway), each));
        }
        for (const std::string &each : host_texts(asked.dns, v6)) {
            lines.push_back(fmt::format(fmt::runtime(keys.dns), each));
        }
    }
    return lines.empty() ? "what it shall have" : fmt::format("\"{}\"", join(lines, "\", \""));
}

constexpr Keys networkd_keys = {nullptr, "MTUBytes={} in [Link]", "Address={} in [Network]",
                                "Gateway={} in [Network]", "DNS={} in [Network]"};
constexpr Keys ifupdown_keys = {"pre-up echo {} > /sys/class/net/{}/mode", "mtu {}", "address {}",
                                "gateway {}", "dns-nameservers {}"};
constexpr Keys netplan_keys = {"infiniband-mode: {}", "mtu: {}", "addresses: [{}]",
                               "routes: [{{to: default, via: {}}}]",
                               "nameservers: {{addresses: [{}]}}"};
constexpr Keys dhcpcd_keys = {nullptr, "static interface_mtu={}", "static ip_address={}",
                              "static routers={}", "static domain_name_servers={}"};
constexpr Keys wicked_keys = {"IPOIB_MODE={}", "MTU={}", "IPADDR={}", "GATEWAY={}", "DNS={}"};

std::string ifcfg_lines(const InterfaceSettings &asked) {
    const Keys keys = {asked.mode == mode_connected ? "CONNECTED_MODE=yes" : "CONNECTED_MODE=no",
                       "MTU={}", "IPADDR={}", "GATEWAY={}", "DNS1={}"};
    return file_lines(asked, keys);
}

std::string networkd_lines(const InterfaceSettings &asked, const Profile &profile) {
    // networkd has no setting for the mode of an interface that it does not make.
    const std::string mode =
        asked.mode.empty() ? ""
                           : fmt::format("; the mode needs a rule of udev that writes \"{}\" to "
                                         "/sys/class/net/{}/mode",
                                         asked.mode, asked.name);
    return fmt::format("add {} to {}, then: networkctl reload{}", file_lines(asked, networkd_keys),
                       profile.place.string(), mode);
}

// Returns how an administrator makes the same settings with that manager.
std::string advice(const InterfaceSettings &asked, const Profile &profile) {
    const std::string place = profile.place.string();
    switch (profile.manager) {
    case Manager::network_manager:
        return nmcli_lines(asked, profile);
    case Manager::networkd:
        return networkd_lines(asked, profile);
    case Manager::ifupdown:
        return fmt::format("add {} to its stanza there, then: ifup --force {}",
                           file_lines(asked, ifupdown_keys), asked.name);
    case Manager::netplan:
        return fmt::format("add {} to the interface there (netplan 0.105 and later), then: netplan "
                           "try",
                           file_lines(asked, netplan_keys));
    case Manager::ifcfg:
        return fmt::format("add {} to it", ifcfg_lines(asked));
    case Manager::wicked:
        return fmt::format("add {} to it, then: wicked ifreload {}", file_lines(asked, wicked_keys),
                           asked.name);
    case Manager::vdsm:
        return "set its addresses and MTU in the network of oVirt that it belongs to";
    case Manager::dhcpcd:
        return fmt::format("add {} to its section there, then: dhcpcd -n {}",
                           file_lines(asked, dhcpcd_keys), asked.name);
    }
    return {};
}

// Files that netplan made must not be edited.
bool is_made_by_netplan(const Profile &profile) {
    const std::string name = profile.place.filename().string();
    return name.find("netplan-") != std::string::npos &&
           profile.place.string().find("/run/") != std::string::npos;
}

Error refusal(const InterfaceSettings &asked, const Profile &profile) {
    const bool netplan = is_made_by_netplan(profile);
    Profile owner = profile;
    if (netplan) {
        owner.manager = Manager::netplan;
    }
    const std::string what =
        fmt::format("{} is configured by {}, which causeway did not write ({})", asked.name,
                    profile.place.string(), manager_title(owner.manager));
    if (netplan) {
        return Error{ExitCode::bad_config, what,
                     fmt::format("netplan makes that file of /etc/netplan/*.yaml: {}",
                                 advice(asked, owner))};
    }
    if (asked.pkey) {
        return Error{ExitCode::bad_config, what,
                     fmt::format("make the child of {} with P_Key {} there, or give --no-persist",
                                 asked.parent, pkey_text(*asked.pkey))};
    }
    return Error{ExitCode::bad_config, what,
                 fmt::format("{}; or --no-persist for what is now", advice(asked, owner))};
}

using Look = std::optional<Profile> (*)(World &, const InterfaceIdentity &);

std::optional<Profile> other_profile(World &world, const NetworkBackend &backend,
                                     const InterfaceIdentity &interface) {
    // netplan comes first, because it makes the other managers' files in /run from its own.
    std::vector<Look> looks = {netplan_profile};
    const bool by_networkd = &backend == &networkd();
    if (by_networkd) {
        looks.push_back(networkd_profile);
    }
    if (&backend == &network_manager() || network_manager_runs(world)) {
        looks.push_back(network_manager_profile);
    }
    looks.insert(looks.end(),
                 {ifcfg_profile, wicked_profile, vdsm_profile, dhcpcd_profile, ifupdown_profile});
    if (!by_networkd && networkd_runs(world)) {
        looks.push_back(networkd_profile);
    }
    for (const Look look : looks) {
        if (auto found = look(world, interface)) {
            return found;
        }
    }
    return std::nullopt;
}

} // namespace

Result<void> refuse_other_profiles(World &world, const NetworkBackend &backend,
                                   const InterfaceSettings &asked) {
    if (const auto found =
            other_profile(world, backend, identify_interface(world, asked.name, asked.parent))) {
        return refusal(asked, *found);
    }
    if (asked.parent.empty() || &backend != &networkd()) {
        return {};
    }
    if (const auto found = other_profile(world, backend, identify_interface(world, asked.parent))) {
        return Error{ExitCode::bad_config,
                     fmt::format("{} is configured by {}, which causeway did not write ({}), and "
                                 "has to name its child",
                                 asked.parent, found->place.string(),
                                 manager_title(found->manager)),
                     fmt::format("make the child {} with P_Key {} there, or give --no-persist",
                                 asked.name, asked.pkey ? pkey_text(*asked.pkey) : "")};
    }
    return {};
}

std::optional<std::filesystem::path> profile_of_one_name(World &world, const std::string &from,
                                                         const std::string &to) {
    const InterfaceIdentity now = identify_interface(world, from);
    InterfaceIdentity later = now;
    later.name = to;
    later.index.clear(); // networkd reports its current file by the index
    for (const Look look :
         {netplan_profile, network_manager_profile, networkd_profile, ifcfg_profile, wicked_profile,
          vdsm_profile, dhcpcd_profile, ifupdown_profile}) {
        const auto found = look(world, now);
        if (found && !look(world, later)) {
            return found->place;
        }
    }
    return std::nullopt;
}

} // namespace causeway

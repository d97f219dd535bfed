// SPDX-License-Identifier: GPL-2.0-or-later
#include "netconf/ansible.h"

#include "change/change_set.h"

#include <algorithm>
#include <fmt/format.h>

namespace causeway {

namespace {

constexpr const char *step = "            "; // indentation of a connection's keys

std::string list_text(std::string_view key, const std::vector<std::string> &values) {
    std::string text;
    for (const std::string &value : values) {
        text += text.empty() ? fmt::format("{}  {}:\n", step, key) : "";
        text += fmt::format("{}    - \"{}\"\n", step, value);
    }
    return text;
}

std::string role_routes(const InterfaceSettings &settings) {
    std::string text;
    for (const InterfaceRoute &each : settings.routes) {
        const std::string network = each.destination.text();
        const std::size_t slash = network.find('/');
        text += text.empty() ? fmt::format("{}  route:\n", step) : "";
        text += fmt::format("{0}    - network: \"{1}\"\n{0}      prefix: {2}\n", step,
                            network.substr(0, slash), network.substr(slash + 1));
        text += each.gateway
                    ? fmt::format("{}      gateway: \"{}\"\n", step, each.gateway->host_text())
                    : "";
        text += each.metric ? fmt::format("{}      metric: {}\n", step, *each.metric) : "";
    }
    return text;
}

std::string ip_text(const InterfaceSettings &settings) {
    std::string text = fmt::format("{0}ip:\n{0}  dhcp4: {1}\n{0}  auto6: {2}\n", step,
                                   settings.dhcp4, settings.auto6);
    std::vector<std::string> addresses;
    for (const InterfaceAddress &each : settings.addresses) {
        addresses.push_back(each.text());
    }
    text += list_text("address", addresses);
    for (const SocketAddress &each : settings.gateways) {
        text += fmt::format("{}  gateway{}: \"{}\"\n", step, each.family() == AF_INET6 ? 6 : 4,
                            each.host_text());
    }
    std::vector<std::string> servers;
    for (const SocketAddress &each : settings.dns) {
        servers.push_back(each.host_text());
    }
    return text + list_text("dns", servers) + role_routes(settings);
}

std::string connection_text(const InterfaceSettings &settings) {
    std::string text =
        fmt::format("          - name: \"{}\"\n{}type: infiniband\n", settings.name, step);
    // The role accepts no interface_name together with p_key, because the P_Key determines the
    // name.
    text += settings.pkey ? fmt::format("{}parent: \"{}\"\n", step, settings.parent)
                          : fmt::format("{}interface_name: \"{}\"\n", step, settings.name);
    text += fmt::format("{}autoconnect: true\n", step);
    if (settings.mtu) {
        text += fmt::format("{}mtu: {}\n", step, *settings.mtu);
    }
    text += fmt::format("{}infiniband:\n", step);
    if (settings.pkey) {
        text += fmt::format("{}  p_key: {}\n", step, pkey_text(*settings.pkey));
    }
    text += fmt::format("{}  transport_mode: {}\n", step,
                        settings.mode.empty() ? mode_datagram : settings.mode);
    return text + ip_text(settings) + fmt::format("{}state: up\n", step);
}

} // namespace

std::string ansible_playbook(const std::string &host,
                             const std::vector<InterfaceSettings> &interfaces) {
    std::string text = "---\n"
                       "# Written by \"causeway ipoib export --ansible\".\n"
                       "# The addresses are those of this host: write others for another one.\n"
                       "- name: IP over InfiniBand\n" +
                       fmt::format("  hosts: \"{}\"\n", host) +
                       "  tasks:\n"
                       "    - name: Its connections\n"
                       "      ansible.builtin.include_role:\n"
                       "        name: rhel-system-roles.network\n"
                       "      vars:\n"
                       "        network_connections:";
    text += interfaces.empty() ? " []\n" : "\n";
    // A parent must come before its children.
    std::vector<InterfaceSettings> ordered = interfaces;
    std::stable_partition(ordered.begin(), ordered.end(),
                          [](const InterfaceSettings &each) { return !each.pkey; });
    for (const InterfaceSettings &each : ordered) {
        text += connection_text(each);
    }
    return text;
}

} // namespace causeway

// SPDX-License-Identifier: GPL-2.0-or-later
// systemd-networkd: systemd.network(5) for each interface, and systemd.netdev(5) for a P_Key child,
// which its parent's .network file must name. systemd supports IPoIB from version 250 on.
#include "config/file_header.h"
#include "netconf/backend.h"
#include "netconf/foreign_routes.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace causeway {

namespace fs = std::filesystem;

namespace {

constexpr unsigned long first_with_ipoib = 250;
constexpr std::string_view file_start = "10-causeway-";

// The low number sorts the file before those of a distribution.
fs::path place_of(const Places &places, const std::string &interface, std::string_view suffix) {
    return places.networkd() / fmt::format("{}{}{}", file_start, interface, suffix);
}

std::vector<std::string> children_of(const std::string &parent,
                                     const std::vector<InterfaceSettings> &all) {
    std::vector<std::string> children;
    for (const InterfaceSettings &each : all) {
        if (each.pkey && each.parent == parent) {
            children.push_back(each.name);
        }
    }
    return children;
}

std::string netdev_text(const InterfaceSettings &settings) {
    std::string text = our_header("ipoib") + fmt::format("[NetDev]\n"
                                                         "Name={}\n"
                                                         "Kind=ipoib\n"
                                                         "\n"
                                                         "[IPoIB]\n"
                                                         "PartitionKey={}\n",
                                                         settings.name, pkey_text(*settings.pkey));
    if (!settings.mode.empty()) {
        text += fmt::format("Mode={}\n", settings.mode);
    }
    return text;
}

std::string network_text(const InterfaceSettings &settings,
                         const std::vector<std::string> &children) {
    std::string text = our_header("ipoib") + fmt::format("[Match]\nName={}\n", settings.name);
    if (settings.mtu) {
        text += fmt::format("\n[Link]\nMTUBytes={}\n", *settings.mtu);
    }
    text += "\n[Network]\n";
    for (const InterfaceAddress &each : settings.addresses) {
        text += fmt::format("Address={}\n", each.text());
    }
    for (const SocketAddress &each : settings.gateways) {
        text += fmt::format("Gateway={}\n", each.host_text());
    }
    for (const SocketAddress &each : settings.dns) {
        text += fmt::format("DNS={}\n", each.host_text());
    }
    if (settings.dhcp4) {
        text += "DHCP=ipv4\n";
    }
    // Without this setting networkd listens to routers, and starts DHCPv6 if they ask for it.
    text += settings.auto6 ? "IPv6AcceptRA=yes\n" : "IPv6AcceptRA=no\n";
    for (const std::string &child : children) {
        text += fmt::format("IPoIB={}\n", child);
    }
    for (const InterfaceRoute &each : settings.routes) {
        text += fmt::format("\n[Route]\nDestination={}\n", each.destination.text());
        text += each.gateway ? fmt::format("Gateway={}\n", each.gateway->host_text()) : "";
        text += each.onlink ? "GatewayOnLink=yes\n" : "";
        text += each.source ? fmt::format("PreferredSource={}\n", each.source->host_text()) : "";
        text += each.metric ? fmt::format("Metric={}\n", *each.metric) : "";
    }
    return text;
}

// If a rule renames the interface, NAME has its name; if not, only KERNEL has it. The kernel needs
// a newline after the mode (set_mode() of drivers/infiniband/ulp/ipoib), which ATTR{mode}= does not
// write.
std::string mode_rule(const InterfaceSettings &settings) {
    std::string text = our_header("ipoib");
    for (const std::string &match : {fmt::format("NAME==\"{}\"", settings.name),
                                     fmt::format("NAME==\"\", KERNEL==\"{}\"", settings.name)}) {
        text += fmt::format("ACTION==\"add\", SUBSYSTEM==\"net\", ATTR{{type}}==\"32\", {}, "
                            "RUN+=\"/bin/sh -c 'echo {} >/sys/class/net/$name/mode'\"\n",
                            match, settings.mode);
    }
    return text;
}

class Networkd final : public NetworkBackend {
  public:
    std::string_view name() const override { return "networkd"; }
    std::string_view title() const override { return "systemd-networkd"; }

    std::vector<NetworkFile> files(const Places &places,
                                   const std::vector<InterfaceSettings> &all) const override {
        std::vector<NetworkFile> files;
        const auto is_there = [&](const std::string &interface) {
            return std::any_of(all.begin(), all.end(), [&](const InterfaceSettings &each) {
                return each.name == interface;
            });
        };
        for (const InterfaceSettings &each : all) {
            if (each.pkey) {
                files.push_back(
                    {each.name, place_of(places, each.name, ".netdev"), netdev_text(each)});
            } else if (!each.mode.empty()) {
                files.push_back(
                    {each.name,
                     places.udev_rules() / fmt::format("85-causeway-ipoib-{}.rules", each.name),
                     mode_rule(each)});
            }
            files.push_back({each.name, place_of(places, each.name, ".network"),
                             network_text(each, children_of(each.name, all))});
        }
        for (const InterfaceSettings &each : all) {
            const bool told = std::any_of(files.begin(), files.end(), [&](const NetworkFile &file) {
                return file.place == place_of(places, each.parent, ".network");
            });
            if (each.pkey && !told && !is_there(each.parent)) {
                InterfaceSettings parent;
                parent.name = each.parent;
                files.push_back({parent.name, place_of(places, parent.name, ".network"),
                                 network_text(parent, children_of(parent.name, all))});
            }
        }
        return files;
    }

    std::vector<Words> reread(const Places & /*places*/,
                              const InterfaceSettings & /*settings*/) const override {
        return {{"networkctl", "reload"}};
    }
    std::vector<Words> start(const Places & /*places*/,
                             const InterfaceSettings &settings) const override {
        return {{"networkctl", "reload"}, {"networkctl", "reconfigure", settings.name}};
    }
    std::vector<Words> stop(const InterfaceSettings & /*settings*/) const override { return {}; }
    std::vector<Words> forget(const InterfaceSettings &settings) const override {
        std::vector<Words> programs = {{"networkctl", "reload"}};
        // A child does not exist any more.
        if (!settings.pkey) {
            programs.push_back({"networkctl", "reconfigure", settings.name});
        }
        return programs;
    }

    Result<void> check(World &world, const InterfaceSettings &settings) const override {
        TRY(knows_ipoib(world, settings));
        for (const std::string &each : {settings.name, settings.parent}) {
            TRY(each.empty() ? Result<void>() : refuse_foreign_routes(world, each));
        }
        return {};
    }

  private:
    static Result<void> knows_ipoib(World &world, const InterfaceSettings &settings) {
        if (!settings.pkey) {
            return {};
        }
        auto end = world.processes.run({"networkctl", "--version"});
        if (!end || !end->good()) {
            return {};
        }
        const std::size_t digits = end->out.find_first_of("0123456789");
        const unsigned long version =
            digits == std::string::npos ? 0 : std::strtoul(&end->out[digits], nullptr, 10);
        if (version == 0 || version >= first_with_ipoib) {
            return {};
        }
        return Error{ExitCode::unavailable,
                     fmt::format("systemd-networkd {} knows no children of IPoIB: {} and later do",
                                 version, first_with_ipoib),
                     "give --backend nm or ifupdown, or --no-persist"};
    }
};

} // namespace

std::string interface_of_networkd_file(const Places &places, const fs::path &file) {
    const std::string name = file.stem().string();
    const bool is_one = file.parent_path() == places.networkd() && file.extension() == ".network" &&
                        name.compare(0, file_start.size(), file_start) == 0;
    return is_one ? name.substr(file_start.size()) : "";
}

const NetworkBackend &networkd() {
    static const Networkd backend;
    return backend;
}

} // namespace causeway

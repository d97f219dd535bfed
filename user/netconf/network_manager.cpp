// SPDX-License-Identifier: GPL-2.0-or-later
// NetworkManager: one keyfile for each interface (nm-settings-keyfile(5)). Debian and RHEL 8 and
// later have the same folder for them.
#include "config/file_header.h"
#include "netconf/backend.h"

#include <algorithm>
#include <fmt/format.h>
#include <gcrypt.h>

namespace causeway {

namespace fs = std::filesystem;

namespace {

std::string connection_of(const InterfaceSettings &settings) {
    return "causeway-" + settings.name;
}

fs::path keyfile(const Places &places, const InterfaceSettings &settings) {
    return places.network_manager() / (connection_of(settings) + ".nmconnection");
}

// Derives the UUID from the name of the interface, so that a file that is written again has the
// same content.
std::string identity_of(const InterfaceSettings &settings) {
    const std::string seed = "causeway network connection of " + settings.name;
    std::array<std::uint8_t, 32> digest{};
    gcry_md_hash_buffer(GCRY_MD_SHA256, digest.data(), seed.data(), seed.size());
    return Uuid::stamped(std::span<const std::uint8_t>(digest).first(Uuid::size)).text();
}

std::string routes_text(const InterfaceSettings &settings, bool v6) {
    std::string text;
    unsigned int number = 0;
    for (const InterfaceRoute &each : settings.routes) {
        if (each.is_v6() != v6) {
            continue;
        }
        // The unspecified address means that the route has no gateway.
        text += fmt::format("route{}={},{}", ++number, each.destination.text(),
                            each.gateway ? each.gateway->host_text()
                            : v6         ? "::"
                                         : "0.0.0.0");
        // Without a metric NetworkManager would use that of its device, 150.
        text += fmt::format(",{}\n", each.metric.value_or(0));
        std::string options = each.onlink ? "onlink=true" : "";
        if (each.source) {
            options +=
                fmt::format("{}src={}", options.empty() ? "" : ",", each.source->host_text());
        }
        text += options.empty() ? "" : fmt::format("route{}_options={}\n", number, options);
    }
    return text;
}

std::string family_text(const InterfaceSettings &settings, bool v6) {
    std::string text;
    unsigned int number = 0;
    for (const InterfaceAddress &each : settings.addresses) {
        if (each.is_v6() == v6) {
            text += fmt::format("address{}={}\n", ++number, each.text());
        }
    }
    for (const SocketAddress &each : settings.gateways) {
        if ((each.family() == AF_INET6) == v6) {
            text += fmt::format("gateway={}\n", each.host_text());
        }
    }
    std::string servers;
    for (const SocketAddress &each : settings.dns) {
        if ((each.family() == AF_INET6) == v6) {
            servers += each.host_text() + ";";
        }
    }
    const bool leased = v6 ? settings.auto6 : settings.dhcp4;
    if (number != 0 || leased) {
        text += servers.empty() ? "" : fmt::format("dns={}\n", servers);
        return text + routes_text(settings, v6) + (leased ? "method=auto\n" : "method=manual\n");
    }
    return v6 ? routes_text(settings, v6) + "method=link-local\n" : "method=disabled\n";
}

std::string keyfile_text(const InterfaceSettings &settings) {
    std::string text = our_header("ipoib") + fmt::format("[connection]\n"
                                                         "id={}\n"
                                                         "uuid={}\n"
                                                         "type=infiniband\n"
                                                         "interface-name={}\n"
                                                         "\n"
                                                         "[infiniband]\n",
                                                         connection_of(settings),
                                                         identity_of(settings), settings.name);
    if (settings.mtu) {
        text += fmt::format("mtu={}\n", *settings.mtu);
    }
    if (settings.pkey) {
        text += fmt::format("p-key={}\nparent={}\n", *settings.pkey, settings.parent);
    }
    text +=
        fmt::format("transport-mode={}\n", settings.mode.empty() ? mode_datagram : settings.mode);
    return text + "\n[ipv4]\n" + family_text(settings, false) + "\n[ipv6]\n" +
           family_text(settings, true);
}

class NetworkManager final : public NetworkBackend {
  public:
    std::string_view name() const override { return "nm"; }
    std::string_view title() const override { return "NetworkManager"; }

    std::vector<NetworkFile> files(const Places &places,
                                   const std::vector<InterfaceSettings> &all) const override {
        std::vector<NetworkFile> files;
        for (const InterfaceSettings &each : all) {
            // NetworkManager ignores a keyfile that other users can read.
            files.push_back({each.name, keyfile(places, each), keyfile_text(each), 0600});
        }
        return files;
    }

    std::vector<Words> reread(const Places &places,
                              const InterfaceSettings &settings) const override {
        return {{"nmcli", "connection", "load", keyfile(places, settings).string()}};
    }
    std::vector<Words> start(const Places &places,
                             const InterfaceSettings &settings) const override {
        return {{"nmcli", "connection", "load", keyfile(places, settings).string()},
                {"nmcli", "--wait", "20", "connection", "up", connection_of(settings)}};
    }
    std::vector<Words> stop(const InterfaceSettings &settings) const override {
        return {{"nmcli", "--wait", "20", "connection", "down", connection_of(settings)}};
    }
    std::vector<Words> forget(const InterfaceSettings & /*settings*/) const override {
        return {{"nmcli", "connection", "reload"}};
    }

    Result<void> check(World & /*world*/, const InterfaceSettings &settings) const override {
        if (settings.pkey && settings.parent.size() > longest_parent) {
            return Error{ExitCode::unavailable,
                         fmt::format("NetworkManager takes no child of {}: the kernel cuts the "
                                     "parent's name in that of its child after {} characters",
                                     settings.parent, longest_parent),
                         fmt::format("give the parent a shorter name: causeway name set {} ib0, or "
                                     "give --no-persist",
                                     settings.parent)};
        }
        return says_all(settings);
    }

  private:
    static constexpr std::size_t longest_parent =
        10; // ipoib_vlan_add() of the kernel: "%.10s.%04x"

    // In a NetworkManager profile, a family without an address can have no name servers and, for
    // IPv4, no routes.
    static Result<void> says_all(const InterfaceSettings &settings) {
        for (const bool v6 : {false, true}) {
            const bool has = (v6 ? settings.auto6 : settings.dhcp4) ||
                             std::any_of(settings.addresses.begin(), settings.addresses.end(),
                                         [&](const auto &each) { return each.is_v6() == v6; });
            if (has) {
                continue;
            }
            for (const InterfaceRoute &each : settings.routes) {
                if (!v6 && !each.is_v6()) {
                    return cannot_say(settings, fmt::format("the route {}", each.text()), v6);
                }
            }
            for (const SocketAddress &each : settings.dns) {
                if ((each.family() == AF_INET6) == v6) {
                    return cannot_say(settings, "the name server " + each.host_text(), v6);
                }
            }
        }
        return {};
    }

    static Error cannot_say(const InterfaceSettings &settings, const std::string &what, bool v6) {
        return Error{ExitCode::unavailable,
                     fmt::format("{} has {} without an address of IPv{}, which a profile of "
                                 "NetworkManager cannot keep",
                                 settings.name, what, v6 ? 6 : 4),
                     fmt::format("give {} an address of IPv{}, or give --no-persist", settings.name,
                                 v6 ? 6 : 4)};
    }
};

} // namespace

const NetworkBackend &network_manager() {
    static const NetworkManager backend;
    return backend;
}

} // namespace causeway

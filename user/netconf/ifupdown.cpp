// SPDX-License-Identifier: GPL-2.0-or-later
// ifupdown: stanzas of interfaces(5) in a file of their own per interface. It makes a child of
// IPoIB by its name alone, older ones do not; so does a line here, where it is not there yet.
#include "base/durable_file.h"
#include "config/file_header.h"
#include "netconf/backend.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

namespace causeway {

namespace fs = std::filesystem;

namespace {

// "source-directory" reads no file with a dot in its name.
fs::path place_of(const Places &places, const std::string &interface) {
    std::string word = interface;
    std::replace(word.begin(), word.end(), '.', '_');
    return places.ifupdown() / "interfaces.d" / ("causeway-" + word);
}

std::string gateway_text(const InterfaceSettings &settings, bool v6) {
    for (const SocketAddress &each : settings.gateways) {
        if ((each.family() == AF_INET6) == v6) {
            return fmt::format("    gateway {}\n", each.host_text());
        }
    }
    return {};
}

// What is of the link, not of an address: in the first stanza of the interface.
std::string link_text(const InterfaceSettings &settings) {
    std::string text;
    if (settings.mtu) {
        text += fmt::format("    mtu {}\n", *settings.mtu);
    }
    if (!settings.dns.empty()) {
        text += "    dns-nameservers";
        for (const SocketAddress &each : settings.dns) {
            text += " " + each.host_text();
        }
        text += "\n";
    }
    if (settings.pkey) {
        text += fmt::format("    pre-up test -d /sys/class/net/{0} || echo {1} > "
                            "/sys/class/net/{2}/create_child\n",
                            settings.name, pkey_text(*settings.pkey), settings.parent);
    }
    if (!settings.mode.empty()) {
        text += fmt::format("    pre-up echo {} > /sys/class/net/{}/mode\n", settings.mode,
                            settings.name);
    }
    return text;
}

std::string up_routes(const InterfaceSettings &settings, bool v6) {
    std::string text;
    for (const InterfaceRoute &each : settings.routes) {
        if (each.is_v6() != v6) {
            continue;
        }
        text +=
            fmt::format("    up ip{} route replace {}", v6 ? " -6" : "", each.destination.text());
        text += each.gateway ? fmt::format(" via {}", each.gateway->host_text()) : "";
        text += fmt::format(" dev {}", settings.name);
        text += each.source ? fmt::format(" src {}", each.source->host_text()) : "";
        text += each.metric ? fmt::format(" metric {}", *each.metric) : "";
        text += each.onlink ? " onlink\n" : "\n";
    }
    return text;
}

// The stanzas of one family, of which the last sets the routes: its addresses are there by then.
std::vector<std::string> family_stanzas(const InterfaceSettings &settings, bool v6) {
    std::vector<std::string> stanzas;
    if (v6 ? settings.auto6 : settings.dhcp4) {
        stanzas.push_back(
            fmt::format("iface {} {}\n", settings.name, v6 ? "inet6 auto" : "inet dhcp"));
    }
    std::string gateway = gateway_text(settings, v6);
    for (const InterfaceAddress &each : settings.addresses) {
        if (each.is_v6() == v6) {
            stanzas.push_back(fmt::format("iface {} {} static\n    address {}\n{}", settings.name,
                                          v6 ? "inet6" : "inet", each.text(), gateway));
            gateway.clear();
        }
    }
    if (!stanzas.empty()) {
        stanzas.back() += up_routes(settings, v6);
    }
    return stanzas;
}

std::string stanzas(const InterfaceSettings &settings) {
    auto all = family_stanzas(settings, false);
    if (all.empty()) {
        all.push_back(fmt::format("iface {} inet manual\n", settings.name));
    }
    const std::size_t first_end = all.front().find("    up ip");
    all.front().insert(std::min(first_end, all.front().size()), link_text(settings));
    std::string text = our_header("ipoib") + fmt::format("auto {}\n", settings.name);
    for (const std::string &each : family_stanzas(settings, true)) {
        all.push_back(each);
    }
    for (const std::string &each : all) {
        text += each;
    }
    return text;
}

bool reads_folder(const std::string &content) {
    std::istringstream stream(content);
    for (std::string line; std::getline(stream, line);) {
        std::istringstream words(line);
        std::string first;
        std::string second;
        if (words >> first >> second && (first == "source" || first == "source-directory") &&
            second.find("interfaces.d") != std::string::npos) {
            return true;
        }
    }
    return false;
}

class Ifupdown final : public NetworkBackend {
  public:
    std::string_view name() const override { return "ifupdown"; }
    std::string_view title() const override { return "ifupdown"; }

    std::vector<NetworkFile> files(const Places &places,
                                   const std::vector<InterfaceSettings> &all) const override {
        std::vector<NetworkFile> files;
        for (const InterfaceSettings &each : all) {
            files.push_back({place_of(places, each.name), stanzas(each)});
        }
        return files;
    }

    std::vector<Words> reread(const Places & /*places*/,
                              const InterfaceSettings & /*settings*/) const override {
        return {};
    }
    std::vector<Words> start(const Places & /*places*/,
                             const InterfaceSettings &settings) const override {
        return {{"ifup", "--force", settings.name}};
    }
    std::vector<Words> stop(const InterfaceSettings &settings) const override {
        return {{"ifdown", settings.name}};
    }
    std::vector<Words> forget(const InterfaceSettings & /*settings*/) const override { return {}; }
    bool stops_for_a_change() const override { return true; }

    Result<void> check(World &world, const InterfaceSettings & /*settings*/) const override {
        const fs::path main = world.places.ifupdown() / "interfaces";
        auto content = read_small_file(main);
        if (!content) {
            return content.error();
        }
        if (*content && !reads_folder(**content)) {
            return Error{ExitCode::bad_config,
                         fmt::format("{} does not read its folder interfaces.d", main.string()),
                         "add the line \"source /etc/network/interfaces.d/*\" to it"};
        }
        return {};
    }
};

} // namespace

const NetworkBackend &ifupdown() {
    static const Ifupdown backend;
    return backend;
}

} // namespace causeway

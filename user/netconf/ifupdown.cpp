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

std::string stanzas(const InterfaceSettings &settings) {
    std::string text = our_header("ipoib") + fmt::format("auto {}\n", settings.name);
    std::string link = link_text(settings);
    const bool has_v4 = std::any_of(settings.addresses.begin(), settings.addresses.end(),
                                    [](const InterfaceAddress &each) { return !each.is_v6(); });
    if (!has_v4) {
        text += fmt::format("iface {} inet manual\n{}", settings.name, link);
        link.clear();
    }
    for (const bool v6 : {false, true}) {
        std::string gateway = gateway_text(settings, v6);
        for (const InterfaceAddress &each : settings.addresses) {
            if (each.is_v6() != v6) {
                continue;
            }
            text += fmt::format("iface {} {} static\n    address {}\n", settings.name,
                                v6 ? "inet6" : "inet", each.text());
            text += gateway + link;
            gateway.clear();
            link.clear();
        }
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

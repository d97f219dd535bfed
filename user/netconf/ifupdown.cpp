// SPDX-License-Identifier: GPL-2.0-or-later
// ifupdown: stanzas of interfaces(5), in one file for each interface. Newer versions of ifupdown
// make an IPoIB child from its name. For older versions a line of the stanza makes the child if it
// does not exist.
#include "base/durable_file.h"
#include "config/file_header.h"
#include "netconf/backend.h"
#include "profiles/reading.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fnmatch.h>
#include <set>
#include <sstream>

namespace causeway {

namespace fs = std::filesystem;

namespace {

// "source-directory" ignores files with a dot in their names.
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

// Returns the settings of the link, which must be in the first stanza of the interface.
std::string link_text(const InterfaceSettings &settings) {
    std::string text;
    // The method dhcp has no option "mtu": interfaces(5).
    const bool mtu_by_ip = settings.mtu && settings.dhcp4;
    if (settings.mtu && !mtu_by_ip) {
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
    if (mtu_by_ip) {
        text += fmt::format("    pre-up ip link set dev {} mtu {}\n", settings.name, *settings.mtu);
    }
    return text;
}

std::string up_route(const InterfaceRoute &route, const std::string &interface, bool v6) {
    std::string text =
        fmt::format("    up ip{} route replace {}", v6 ? " -6" : "", route.destination.text());
    text += route.gateway ? fmt::format(" via {}", route.gateway->host_text()) : "";
    text += fmt::format(" dev {}", interface);
    text += route.source ? fmt::format(" src {}", route.source->host_text()) : "";
    text += route.metric ? fmt::format(" metric {}", *route.metric) : "";
    return text + (route.onlink ? " onlink\n" : "\n");
}

// Returns routes without a gateway before those with one, because a gateway must be reachable by an
// existing route.
std::string up_routes(const InterfaceSettings &settings, bool v6) {
    std::string near;
    std::string far;
    for (const InterfaceRoute &each : settings.routes) {
        if (each.is_v6() == v6) {
            (each.gateway ? far : near) += up_route(each, settings.name, v6);
        }
    }
    return near + far;
}

// Returns the stanzas of one family. The last one sets the routes, because all addresses exist by
// then.
std::vector<std::string> family_stanzas(const InterfaceSettings &settings, bool v6) {
    std::vector<std::string> stanzas;
    if (v6 ? settings.auto6 : settings.dhcp4) {
        stanzas.push_back(
            fmt::format("iface {} {}\n", settings.name, v6 ? "inet6 auto" : "inet dhcp"));
    }
    std::string gateway = gateway_text(settings, v6);
    for (const InterfaceAddress &each : settings.addresses) {
        if (each.is_v6() == v6) {
            // ifup fails if the address exists already, for example because it was set by hand.
            stanzas.push_back(fmt::format("iface {0} {1} static\n    address {2}\n{3}    pre-up ip "
                                          "address delete {2} dev {0} 2>/dev/null || true\n",
                                          settings.name, v6 ? "inet6" : "inet", each.text(),
                                          gateway));
            gateway.clear();
        }
    }
    const std::string routes = up_routes(settings, v6);
    if (stanzas.empty() && !routes.empty()) {
        stanzas.push_back(
            fmt::format("iface {} {} manual\n", settings.name, v6 ? "inet6" : "inet"));
    }
    if (!stanzas.empty()) {
        stanzas.back() += routes;
    }
    return stanzas;
}

std::string stanzas(const InterfaceSettings &settings) {
    auto all = family_stanzas(settings, false);
    if (all.empty()) {
        all.push_back(fmt::format("iface {} inet manual\n", settings.name));
    }
    const std::size_t first_end =
        std::min(all.front().find("    up ip"), all.front().find("    pre-up ip address delete"));
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

bool fits_path(const fs::path &pattern, const fs::path &path) {
    return ::fnmatch(pattern.c_str(), path.c_str(), FNM_PATHNAME | FNM_PERIOD) == 0;
}

// Follows the lines of a file of ifupdown to find out if ifupdown reads the wanted file. "source"
// takes patterns of files, "source-directory" patterns of folders, in which it reads files with
// plain names.
class SourceSearch {
  public:
    SourceSearch(const Places &places, fs::path wanted)
        : places_(places), wanted_(std::move(wanted)) {}

    bool reads(const fs::path &file) {
        constexpr std::size_t most_files = 64;
        if (seen_.size() == most_files || !seen_.insert(file).second) {
            return false;
        }
        std::istringstream stream(text_of_file(file));
        for (std::string line; std::getline(stream, line);) {
            const auto words = split(line, " \t\r");
            for (std::size_t i = 1; i < words.size(); i++) {
                if (is_source(words[0]) && leads(words[0] != "source", place(file, words[i]))) {
                    return true;
                }
            }
        }
        return false;
    }

  private:
    static bool is_source(const std::string &word) {
        return word == "source" || word == "source-directory" || word == "source-dir";
    }

    fs::path place(const fs::path &file, const std::string &word) const {
        fs::path path =
            word.front() == '/' ? places_.of_others(word.substr(1)) : file.parent_path() / word;
        return path.has_filename() ? path : path.parent_path();
    }

    bool leads(bool folder, const fs::path &pattern) {
        if (folder) {
            const std::string name = wanted_.filename().string();
            const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
                return std::isalnum(c) != 0 || c == '_' || c == '-';
            });
            return plain && fits_path(pattern, wanted_.parent_path());
        }
        return fits_path(pattern, wanted_) || (pattern != wanted_ && reads(pattern));
    }

    const Places &places_;
    fs::path wanted_;
    std::set<fs::path> seen_;
};

class Ifupdown final : public NetworkBackend {
  public:
    std::string_view name() const override { return "ifupdown"; }
    std::string_view title() const override { return "ifupdown"; }

    std::vector<NetworkFile> files(const Places &places,
                                   const std::vector<InterfaceSettings> &all) const override {
        std::vector<NetworkFile> files;
        for (const InterfaceSettings &each : all) {
            files.push_back({each.name, place_of(places, each.name), stanzas(each)});
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

    Result<void> check(World &world, const InterfaceSettings &settings) const override {
        const fs::path main = world.places.ifupdown() / "interfaces";
        const fs::path wanted = place_of(world.places, settings.name);
        auto content = TRY(read_small_file(main));
        if (content && !SourceSearch(world.places, wanted).reads(main)) {
            return Error{ExitCode::bad_config,
                         fmt::format("{} does not read {}", main.string(), wanted.string()),
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

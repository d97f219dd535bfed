// SPDX-License-Identifier: GPL-2.0-or-later
#include "netconf/records.h"

#include "base/durable_file.h"
#include "base/units.h"
#include "config/file_header.h"
#include "config/ini.h"

#include <algorithm>
#include <fmt/format.h>
#include <system_error>

namespace causeway {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view suffix = ".conf";

const IniSchema &schema() {
    static const IniSchema schema{"interface",
                                  {{"backend"},
                                   {"parent"},
                                   {"pkey"},
                                   {"mode"},
                                   {"mtu"},
                                   {"address", true},
                                   {"gateway", true},
                                   {"dns", true},
                                   {"route", true},
                                   {"dhcp4"},
                                   {"auto6"}}};
    return schema;
}

Result<void> read_addresses(const IniFile &file, std::string_view key,
                            std::vector<SocketAddress> &out) {
    for (const std::string &text : file.values(key)) {
        const auto address = SocketAddress::from_text(text);
        if (!address) {
            return file.error_at(key, fmt::format("'{}' is not an IP address", text));
        }
        out.push_back(*address);
    }
    return {};
}

Result<void> read_link(const IniFile &file, InterfaceSettings &settings) {
    settings.mode = file.value("mode");
    if (!settings.mode.empty() && settings.mode != mode_connected &&
        settings.mode != mode_datagram) {
        return file.error_at("mode", fmt::format("'{}' is no mode of IPoIB", settings.mode),
                             "write connected or datagram");
    }
    if (file.has("mtu")) {
        auto mtu = parse_number("mtu", file.value("mtu"), least_ipoib_mtu, most_connected_mtu);
        if (!mtu) {
            return file.error_at("mtu", mtu.error().what, mtu.error().fix);
        }
        settings.mtu = static_cast<unsigned int>(*mtu);
    }
    settings.parent = file.value("parent");
    if (file.has("pkey") != file.has("parent")) {
        return file.error_at(file.has("pkey") ? "pkey" : "parent",
                             "a child has both, parent and pkey");
    }
    if (file.has("pkey")) {
        auto pkey = parse_pkey(file.value("pkey"));
        if (!pkey) {
            return file.error_at("pkey", pkey.error().what, pkey.error().fix);
        }
        settings.pkey = *pkey;
    }
    return {};
}

} // namespace

std::string record_text(const InterfaceSettings &settings) {
    std::string text = our_header("ipoib") + "[interface]\n";
    const auto add = [&](std::string_view key, const std::string &value) {
        text += fmt::format("{} = {}\n", key, value);
    };
    add("backend", settings.backend);
    if (settings.pkey) {
        add("parent", settings.parent);
        add("pkey", pkey_text(*settings.pkey));
    }
    if (!settings.mode.empty()) {
        add("mode", settings.mode);
    }
    if (settings.mtu) {
        add("mtu", fmt::format("{}", *settings.mtu));
    }
    for (const InterfaceAddress &each : settings.addresses) {
        add("address", each.text());
    }
    for (const SocketAddress &each : settings.gateways) {
        add("gateway", each.host_text());
    }
    for (const SocketAddress &each : settings.dns) {
        add("dns", each.host_text());
    }
    for (const InterfaceRoute &each : settings.routes) {
        add("route", each.text());
    }
    if (settings.dhcp4) {
        add("dhcp4", "yes");
    }
    if (settings.auto6) {
        add("auto6", "yes");
    }
    return text;
}

Result<InterfaceSettings> parse_record(const std::string &source, const std::string &name,
                                       const std::string &content) {
    auto file = TRY(IniFile::parse(source, content, schema()));
    InterfaceSettings settings;
    settings.name = name;
    settings.backend = file.value("backend");
    TRY(read_link(file, settings));
    for (const std::string &text : file.values("address")) {
        auto address = parse_interface_address(text);
        if (!address) {
            return file.error_at("address", address.error().what, address.error().fix);
        }
        settings.addresses.push_back(*address);
    }
    TRY(read_addresses(file, "gateway", settings.gateways));
    TRY(read_addresses(file, "dns", settings.dns));
    for (const std::string &text : file.values("route")) {
        auto route = parse_interface_route(text);
        if (!route) {
            return file.error_at("route", route.error().what, route.error().fix);
        }
        settings.routes.push_back(*route);
    }
    for (const auto &[key, flag] :
         {std::pair("dhcp4", &settings.dhcp4), std::pair("auto6", &settings.auto6)}) {
        auto value = TRY(file.flag(key));
        *flag = value;
    }
    return settings;
}

fs::path record_place(const Places &places, const std::string &name) {
    return places.interfaces() / fmt::format("{}{}", name, suffix);
}

Result<std::vector<InterfaceSettings>> load_records(const Places &places) {
    std::vector<InterfaceSettings> records;
    std::error_code failure;
    for (fs::directory_iterator entry(places.interfaces(), failure);
         !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
        const std::string name = entry->path().filename().string();
        if (name.front() == '.' || entry->path().extension() != suffix) {
            continue;
        }
        auto content = TRY(read_small_file(entry->path()));
        auto record = TRY(parse_record(entry->path().string(), entry->path().stem().string(),
                                       content.value_or("")));
        records.push_back(record);
    }
    if (failure && failure != std::errc::no_such_file_or_directory) {
        return Error{
            failure == std::errc::permission_denied ? ExitCode::no_permission : ExitCode::failed,
            fmt::format("cannot read {}: {}", places.interfaces().string(), failure.message())};
    }
    std::sort(records.begin(), records.end(),
              [](const InterfaceSettings &left, const InterfaceSettings &right) {
                  return left.name < right.name;
              });
    return records;
}

} // namespace causeway

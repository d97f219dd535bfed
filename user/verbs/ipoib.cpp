// SPDX-License-Identifier: GPL-2.0-or-later
// ipoib show, ipoib set: mode and MTU of IP over InfiniBand.
#include "host/ipoib.h"
#include "base/units.h"
#include "change/carry_out.h"
#include "show/table.h"
#include "verbs/verbs.h"

#include <fmt/format.h>

namespace causeway {

namespace {

constexpr const char *connected = "connected";
constexpr const char *datagram = "datagram";
constexpr unsigned int least_mtu = 68;           // RFC 791
constexpr unsigned int most_datagram_mtu = 4092; // 4096 of InfiniBand less the header of RFC 4391
constexpr unsigned int most_connected_mtu = 65520;

Result<void> check_mode(const IpoibInterface &interface, const std::string &mode) {
    if (mode != connected && mode != datagram) {
        return Error{ExitCode::usage, fmt::format("'{}' is no mode of IPoIB", mode),
                     "give connected or datagram"};
    }
    if (interface.mode.empty()) {
        return Error{ExitCode::unavailable,
                     fmt::format("the kernel shows no mode of {} in sysfs: it is a child that was "
                                 "made by netlink",
                                 interface.name),
                     "give it its mode where it is made"};
    }
    if (mode == connected && !interface.can_connect) {
        return Error{ExitCode::unavailable,
                     fmt::format("{} cannot do connected mode: its device has enhanced IPoIB, as "
                                 "ConnectX-4 and later do, which is datagram only",
                                 interface.name),
                     "leave it in datagram mode"};
    }
    return {};
}

Result<void> check_mtu(const std::string &mode, unsigned int mtu) {
    if (mode != connected && mtu > most_datagram_mtu) {
        return Error{ExitCode::usage,
                     fmt::format("an MTU of {} is too large for datagram mode", mtu),
                     fmt::format("give 2044 where switches take 2 KiB, at most {}, or --mode "
                                 "connected",
                                 most_datagram_mtu)};
    }
    return {};
}

} // namespace

Result<Answer> run_ipoib_show(World &world, const Arguments &arguments) {
    std::vector<IpoibInterface> interfaces;
    if (arguments.operands().empty()) {
        interfaces = ipoib_interfaces(world.files);
    } else {
        auto one = find_ipoib(world.files, arguments.operands().front());
        if (!one) {
            return one.error();
        }
        interfaces.push_back(*one);
    }
    Answer answer;
    answer.json["interfaces"] = Json::array();
    Table table({{"INTERFACE"},
                 {"STATE"},
                 {"MODE"},
                 {"MTU", Table::Align::right},
                 {"P_KEY"},
                 {"PORT GUID"},
                 {"CONNECTED MODE"}});
    for (const IpoibInterface &each : interfaces) {
        answer.json["interfaces"].push_back(
            {{"name", each.name},
             {"up", each.up},
             {"mode", each.mode.empty() ? Json(nullptr) : Json(each.mode)},
             {"mtu", each.mtu},
             {"pkey", each.pkey.empty() ? Json(nullptr) : Json(each.pkey)},
             {"address", each.address},
             {"port_guid", port_guid_of(each.address)},
             {"can_connect", each.can_connect}});
        table.row({each.name, each.up ? "up" : "down", each.mode, fmt::format("{}", each.mtu),
                   each.pkey, port_guid_of(each.address), each.can_connect ? "can" : "cannot"});
    }
    answer.text = table.text(world.terminal);
    if (answer.text.empty()) {
        answer.text = "there is no IP over InfiniBand interface\n";
    }
    return answer;
}

Result<Answer> run_ipoib_set(World &world, const Arguments &arguments) {
    const std::string &name = arguments.operands().front();
    auto mtu = arguments.number("mtu", least_mtu, most_connected_mtu);
    if (!mtu) {
        return mtu.error();
    }
    const auto mode = arguments.text("mode");
    if (!mode && !*mtu) {
        return Error{ExitCode::usage, "there is nothing to set", "give --mode, --mtu or both"};
    }
    auto interface = find_ipoib(world.files, name);
    if (!interface) {
        return interface.error();
    }
    if (mode) {
        if (auto good = check_mode(*interface, *mode); !good) {
            return good.error();
        }
    }
    if (*mtu) {
        if (auto good = check_mtu(mode.value_or(interface->mode), static_cast<unsigned int>(**mtu));
            !good) {
            return good.error();
        }
    }
    ChangeSet set(fmt::format("ipoib set {}", name));
    const bool other_mode = mode && *mode != interface->mode;
    if (other_mode) {
        if (auto good = set.set(world, net_folder(name) + "/mode", *mode); !good) {
            return good.error();
        }
    }
    const std::string place = net_folder(name) + "/mtu";
    Result<void> good;
    if (*mtu && other_mode) {
        // Written even where it is the same now: a change of the mode moves it.
        set.add(change_value(place, fmt::format("{}", interface->mtu), fmt::format("{}", **mtu)));
    } else if (*mtu) {
        good = set.set(world, place, fmt::format("{}", **mtu));
    } else if (other_mode) {
        good = set.keep(world, place);
    }
    if (!good) {
        return good.error();
    }
    const bool changes = !set.empty();
    auto answer = carry_out(world, {arguments.dry_run()}, set,
                            fmt::format("{} has this mode and MTU already", name));
    if (answer && changes) {
        answer->warnings.emplace_back("this holds until the next reboot");
    }
    return answer;
}

} // namespace causeway

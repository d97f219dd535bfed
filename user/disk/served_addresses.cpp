// SPDX-License-Identifier: GPL-2.0-or-later
#include "disk/served_addresses.h"

#include "base/durable_file.h"
#include "base/listed_address.h"
#include "host/rdma_addresses.h"
#include "host/rdma_devices.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

namespace causeway {

namespace {

using Interfaces = std::vector<AddressedInterface>;

std::string without_comment(const std::string &line) {
    constexpr const char *blank = " \t\r";
    const std::string text = line.substr(0, line.find('#'));
    const auto first = text.find_first_not_of(blank);
    return first == std::string::npos
               ? ""
               : text.substr(first, text.find_last_not_of(blank) - first + 1);
}

bool may_be_interface(const std::string &name) {
    return name.size() <= longest_interface && name.find_first_of("/: \t") == std::string::npos;
}

Result<std::vector<PreferredAddress>> preferences(const Places &places) {
    const auto place = places.addresses();
    const auto content = TRY(read_small_file(place));
    return content ? parse_preferences(place.string(), *content)
                   : Result<std::vector<PreferredAddress>>(std::vector<PreferredAddress>());
}

const AddressedInterface *interface_named(const Interfaces &interfaces, const std::string &name) {
    const auto found =
        std::find_if(interfaces.begin(), interfaces.end(),
                     [&](const AddressedInterface &each) { return each.name == name; });
    return found == interfaces.end() ? nullptr : &*found;
}

using Addresses = std::vector<SocketAddress>;

// Returns the first address of each list, then the second of each, and so on: a cable with many
// addresses must leave places to the others. Returns most_export_addresses at most, no two the
// same.
Addresses in_turn(const std::vector<Addresses> &lists) {
    Addresses all;
    std::size_t longest = 0;
    for (const Addresses &list : lists) {
        longest = std::max(longest, list.size());
    }
    for (std::size_t i = 0; i < longest; i++) {
        for (const Addresses &list : lists) {
            if (i < list.size() && all.size() < most_export_addresses &&
                std::find(all.begin(), all.end(), list[i]) == all.end()) {
                all.push_back(list[i]);
            }
        }
    }
    return all;
}

// Returns an error unless clients can reach this machine at the address: by RDMA, or with @tcp at
// all.
Result<void> check_address(const std::string &where, const SocketAddress &address,
                           const Interfaces &interfaces, bool tcp) {
    if (!may_be_listed(address)) {
        return Error{ExitCode::usage,
                     fmt::format("{}: {} is not an address of one host for all clients: it is "
                                 "unspecified, of a link, or of several hosts",
                                 where, address.host_text()),
                     "give an address that is valid beyond its link, without a scope"};
    }
    const auto *interface = owner_of(interfaces, address);
    if (interface == nullptr) {
        return Error{ExitCode::failed,
                     fmt::format("{}: this machine does not have the address {}", where,
                                 address.host_text()),
                     "see which it has: ip address"};
    }
    if (!interface->rdma && !tcp) {
        return Error{
            ExitCode::failed,
            fmt::format("{}: {} is an address of the interface '{}', to which no RDMA "
                        "device belongs",
                        where, address.host_text(), interface->name),
            "see which interfaces have one: causeway show; an export with --tcp needs none"};
    }
    return {};
}

Result<void> check_preference(const Places &places, const PreferredAddress &wanted,
                              const Interfaces &interfaces) {
    const std::string where = fmt::format("{}:{}", places.addresses().string(), wanted.line);
    if (!wanted.address.empty()) {
        return check_address(where, wanted.address, interfaces, false);
    }
    const auto *interface = interface_named(interfaces, wanted.interface);
    if (interface == nullptr) {
        return Error{ExitCode::failed,
                     fmt::format("{}: there is no interface '{}'", where, wanted.interface),
                     "see which there are: causeway show"};
    }
    if (!interface->rdma) {
        return Error{ExitCode::failed,
                     fmt::format("{}: no RDMA device belongs to the interface '{}'", where,
                                 wanted.interface),
                     "see which have one: causeway show"};
    }
    return {};
}

Result<Addresses> make_common(World &world) {
    const auto preferred = TRY(preferences(world.places));
    if (preferred.empty() && rdma_devices(world.files).empty()) {
        return Addresses();
    }
    const auto interfaces = TRY(addressed_interfaces(world));
    std::vector<Addresses> lists;
    for (const PreferredAddress &each : preferred) {
        const auto *interface = each.address.empty() ? interface_named(interfaces, each.interface)
                                                     : owner_of(interfaces, each.address);
        if (interface != nullptr && interface->rdma) {
            lists.push_back(each.address.empty() ? interface->addresses : Addresses{each.address});
        }
    }
    for (const AddressedInterface &each : preferred.empty() ? interfaces : Interfaces()) {
        if (each.rdma) {
            lists.push_back(each.addresses);
        }
    }
    return in_turn(lists);
}

} // namespace

Result<std::vector<PreferredAddress>> parse_preferences(const std::string &source,
                                                        std::string_view content) {
    std::vector<PreferredAddress> all;
    std::istringstream lines{std::string(content)};
    std::string line;
    for (std::size_t number = 1; std::getline(lines, line); number++) {
        const std::string word = without_comment(line);
        if (word.empty()) {
            continue;
        }
        PreferredAddress one;
        one.line = number;
        if (may_be_interface(word) && !SocketAddress::from_text(word)) {
            one.interface = word;
        } else if (const auto address = SocketAddress::from_text(word)) {
            one.address = *address;
        } else {
            return Error{ExitCode::bad_config,
                         fmt::format("{}:{}: '{}' is neither an IP address nor the name of a "
                                     "network interface",
                                     source, number, word),
                         "write one on each line, the preferred one first"};
        }
        const auto same = [&](const PreferredAddress &other) {
            return other.interface == one.interface && other.address == one.address;
        };
        if (std::any_of(all.begin(), all.end(), same)) {
            return Error{ExitCode::bad_config,
                         fmt::format("{}:{}: '{}' is there twice", source, number, word),
                         "write each once"};
        }
        all.push_back(std::move(one));
    }
    return all;
}

const Result<Addresses> &CommonAddresses::get(World &world) {
    if (!list_) {
        list_ = make_common(world);
    }
    return *list_;
}

Result<Addresses> served_addresses(World &world, const ExportSettings &settings,
                                   CommonAddresses &common) {
    if (settings.addresses.empty() && !settings.no_addresses) {
        return common.get(world);
    }
    return listed_addresses(settings.addresses);
}

Addresses addresses_without_rdma(World &world, const Addresses &addresses) {
    const auto interfaces = addressed_interfaces(world);
    if (!interfaces) {
        return addresses;
    }
    Addresses all;
    for (const SocketAddress &address : addresses) {
        const auto *interface = owner_of(*interfaces, address);
        if (interface != nullptr && !interface->rdma) {
            all.push_back(address);
        }
    }
    return all;
}

Result<void> check_served_addresses(World &world, const Addresses &typed, bool tcp) {
    const auto preferred =
        typed.empty() ? TRY(preferences(world.places)) : std::vector<PreferredAddress>();
    if (preferred.empty() && typed.empty()) {
        return {};
    }
    const auto interfaces = TRY(addressed_interfaces(world));
    for (const SocketAddress &address : typed) {
        TRY(check_address("--address", address, interfaces, tcp));
    }
    // No interface has that name, so the list is empty.
    const bool none = preferred.size() == 1 && preferred.front().interface == without_addresses;
    for (const PreferredAddress &each : none ? std::vector<PreferredAddress>() : preferred) {
        TRY(check_preference(world.places, each, interfaces));
    }
    return {};
}

Result<void> check_without_tcp(World &world, const Addresses &addresses) {
    if (addresses.empty()) {
        return {};
    }
    const auto interfaces = TRY(addressed_interfaces(world));
    for (const SocketAddress &address : addresses) {
        if (owner_of(interfaces, address) != nullptr) {
            TRY(check_address("--no-tcp", address, interfaces, false));
        }
    }
    return {};
}

} // namespace causeway

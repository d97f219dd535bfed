// SPDX-License-Identifier: GPL-2.0-or-later
// The addresses at which clients can reach the exports of this machine, the preferred one first:
// those of "export add --address", else by the preference file /etc/causeway/addresses, else all
// addresses of interfaces that belong to RDMA devices. A server reports the addresses to clients.
// They decide nothing about who may attach.
#pragma once

#include "base/disk_settings.h"
#include "base/result.h"
#include "machine/world.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causeway {

// A line of the preference file: an address, or the name of an interface.
struct PreferredAddress {
    SocketAddress address{}; // empty: the line names an interface
    std::string interface {};
    std::size_t line = 0;
};

// Parses the preference file. Returns an error (bad_config) that names @source and the line for
// what is neither an address nor a name of an interface, and for what is there twice.
Result<std::vector<PreferredAddress>> parse_preferences(const std::string &source,
                                                        std::string_view content);

// The addresses of all exports without addresses of their own: by the preference file, or by the
// interfaces.
class CommonAddresses {
  public:
    // Returns most_export_addresses at most. Leaves out what this machine does not have now, or
    // what no RDMA device belongs to. Each line and each interface gives one address in turn. Makes
    // the list at the first call only: it reads the GIDs of all RDMA devices. Returns an error if
    // the preference file or ip(8) cannot be read.
    const Result<std::vector<SocketAddress>> &get(World &world);

  private:
    std::optional<Result<std::vector<SocketAddress>>> list_;
};

// Returns the addresses of an export that starts now. Those of the settings are not looked up: the
// kernel lists an address only while this machine has it. Without any, returns those of @common. No
// address is one that the kernel refuses. Errors: as CommonAddresses::get().
Result<std::vector<SocketAddress>> served_addresses(World &world, const ExportSettings &settings,
                                                    CommonAddresses &common);

// Returns those that belong to interfaces without an RDMA device; all of them if ip(8) cannot be
// run.
std::vector<SocketAddress> addresses_without_rdma(World &world,
                                                  const std::vector<SocketAddress> &addresses);

// Returns an error if the addresses that were typed, or the preference file in their place, name
// what this machine does not have: an address, an interface, or the RDMA device of an interface.
// With @tcp, a typed address needs no RDMA device.
Result<void> check_served_addresses(World &world, const std::vector<SocketAddress> &typed,
                                    bool tcp);

// Returns an error if one of the addresses can be reached over TCP only: an export that is not
// served over TCP must not name it. An address that this machine does not have now may be any.
Result<void> check_without_tcp(World &world, const std::vector<SocketAddress> &addresses);

} // namespace causeway

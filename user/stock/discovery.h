// SPDX-License-Identifier: GPL-2.0-or-later
// The targets that a server offers, and the parsers of what iscsiadm, nvme-cli and ibsrpdm print.
// Other machines choose the texts, so each parser checks every entry and limits their number.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <string>
#include <vector>

namespace causeway {

struct OfferedTarget {
    std::string target;    // IQN or NQN; SRP: the GUID
    std::string transport; // of NVMe: "rdma", "tcp", "fc"; empty: that which was asked
    std::string portal;    // "10.0.0.1:3260"; SRP: the GID of the port, as an IPv6 address
    // SRP: what ib_srp needs to log in by the InfiniBand connection manager: "id_ext=...".
    std::string login{};

    bool operator==(const OfferedTarget &) const = default;
};

struct Offer {
    std::vector<OfferedTarget> targets{};
    std::vector<std::string> referrals{}; // the portals of further discovery services
    std::size_t left_out = 0;             // entries that are malformed, or above the limit

    // The names of the targets by this transport, each once.
    std::vector<std::string> names(std::string_view transport = {}) const;
};

inline constexpr std::size_t most_offered = 1024;

// Parses the output of "iscsiadm -m discovery", whose lines have the form "ADDRESS:PORT,GROUP
// NAME".
Offer parse_iscsi_discovery(std::string_view text);
// Parses the output of "nvme discover -o json". Returns an error if the text as a whole is not the
// log page of a discovery service.
Result<Offer> parse_nvme_discovery(const std::string &text);
// Parses the output of "ibsrpdm -c", whose lines have the form
// "id_ext=HEX,ioc_guid=HEX,dgid=HEX,pkey=HEX,service_id=HEX".
Offer parse_srp_discovery(std::string_view text);

} // namespace causeway

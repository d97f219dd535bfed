// SPDX-License-Identifier: GPL-2.0-or-later
// Makes one RDMA device by software, for "soft add" and for --soft of other verbs.
#pragma once

#include "base/answer.h"
#include "base/result.h"
#include "change/carry_out.h"
#include "command/arguments.h"
#include "machine/world.h"

#include <optional>
#include <string>

namespace causeway {

// The option of verbs that call with_soft_device().
inline constexpr OptionSpec soft_option{
    "soft", "NETDEV",
    "first make an RDMA device by software on this network device, now and at boot: Soft-RoCE, or "
    "with siw:NETDEV Soft-iWARP"};

// Returns an error (usage) unless this is "rxe" or "siw".
Result<void> parse_soft_type(const std::string &type);

struct SoftWish {
    std::string type; // "rxe" or "siw"
    std::string netdev;
    std::optional<std::string> name; // none: the next free name
    bool persists = true;            // make a unit, if systemd runs
};

// Returns the answer of carry_out(), with "device" in its JSON. Changes nothing if the device
// exists.
Result<Answer> add_soft_device(World &world, Manner manner, const SoftWish &wish);

// Makes the device that --soft names, as NETDEV (Soft-RoCE), rxe:NETDEV or siw:NETDEV, then calls
// @work. The answer of the work reports the device, with "soft" in its JSON. If the work fails,
// removes the device that was made for it. Without --soft only calls the work.
Result<Answer> with_soft_device(World &world, const Arguments &arguments,
                                Result<Answer> (*work)(World &, const Arguments &));

} // namespace causeway

// SPDX-License-Identifier: GPL-2.0-or-later
// Making one RDMA device by software, for "soft add" and for --soft of other verbs.
#pragma once

#include "base/answer.h"
#include "base/result.h"
#include "change/carry_out.h"
#include "command/arguments.h"
#include "machine/world.h"

#include <optional>
#include <string>

namespace causeway {

// Of the verbs that move data: with_soft_device().
inline constexpr OptionSpec soft_option{
    "soft", "NETDEV", "make an RDMA device by software (rxe) on it first, now and at boot"};

struct SoftWish {
    std::string type; // "rxe" or "siw"
    std::string netdev;
    std::optional<std::string> name; // none: the next that is free
    bool persists = true;            // by a unit, where systemd runs
};

// The answer's JSON is that of carry_out() with "device". What is there already is left alone.
Result<Answer> add_soft_device(World &world, Manner manner, const SoftWish &wish);

// Makes the Soft-RoCE device that --soft asks for, then does the verb's own work; its answer says
// so, with "soft" in its JSON. Where the work fails, the device that was made for it goes again.
// Without --soft it is the work alone.
Result<Answer> with_soft_device(World &world, const Arguments &arguments,
                                Result<Answer> (*work)(World &, const Arguments &));

} // namespace causeway

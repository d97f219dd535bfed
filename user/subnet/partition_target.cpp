// SPDX-License-Identifier: GPL-2.0-or-later
#include "subnet/partition_target.h"

#include "netconf/settings.h"
#include "subnet/ports.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace causeway {

Result<std::uint16_t> parse_partition(const std::string &typed) {
    auto pkey = TRY(parse_pkey(typed));
    return static_cast<std::uint16_t>(pkey & ~full_member);
}

std::string partition_text(std::uint16_t pkey) {
    return fmt::format("0x{:04x}", pkey);
}

Error no_partition(std::uint16_t pkey) {
    return Error{ExitCode::failed, fmt::format("there is no partition {}", partition_text(pkey)),
                 fmt::format("causeway sm partition add {}", partition_text(pkey))};
}

Result<PartitionTarget> read_partition_target(const World &world, const Arguments &arguments) {
    PartitionTarget target;
    auto pkey = TRY(parse_partition(arguments.operands().front()));
    target.pkey = pkey;
    auto managers = TRY(need_managers(world));
    target.before = managers;
    auto guids =
        TRY(choose_enabled(subnet_ports(world.files), managers.guids(), arguments.list("port")));
    target.guids = guids;
    return target;
}

Result<Answer> carry_partitions(World &world, const Arguments &arguments, const std::string &verb,
                                const PartitionTarget &target, const Managers &after,
                                const std::string &nothing_to_do) {
    const auto ports = arguments.list("port");
    return carry_managers(world, arguments.dry_run(),
                          fmt::format("{} {}{}{}", verb, partition_text(target.pkey),
                                      ports.empty() ? "" : " --port ", fmt::join(ports, " ")),
                          opensm_package(world.places), target.before, after, nothing_to_do);
}

} // namespace causeway

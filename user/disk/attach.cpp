// SPDX-License-Identifier: GPL-2.0-or-later
// attach.
#include "command/verb.h"
#include "disk/key_option.h"
#include "soft/soft_device.h"
#include "transport/family.h"

namespace causeway {

namespace {

Result<Answer> attach_disk(World &world, const Arguments &arguments) {
    const TransportFamily &family = family_for(arguments);
    const auto action = TRY(family.attach(world, arguments));
    const auto disk = TRY(parse_disk(arguments.operands().front()));
    TRY(check_disk_name(world, family, disk));
    return perform(world, *action, arguments.dry_run());
}

Result<Answer> run_attach(World &world, const Arguments &arguments) {
    return with_soft_device(world, arguments, attach_disk);
}

const VerbRows attach_rows(Section::disks, 6, [] {
    return std::vector<Verb>{
        {
            .words = "attach",
            .operands = "SERVER[:PORT]/NAME",
            .summary = "make a server's export a disk of this machine",
            .options =
                {{"queues", "N",
                  "connections for data, 1 to 256; where none is given, one per CPU and at most 8"},
                 {"poll-queues", "N",
                  "so many more that are polled, for hipri I/O; 0 where none is given"},
                 {"depth", "N", "commands in flight on each, 1 to 1024; 128 where none is given"},
                 {"io-timeout", "SECONDS",
                  "hold I/O for so long without a server, then fail it; 0, the default, holds it "
                  "for ever"},
                 {"fast-fail", "SECONDS|off",
                  "fail I/O that is marked to fail fast, as by dm-multipath, after so long without "
                  "a server; 1 where none is given"},
                 key_option,
                 {"host-uuid", "UUID",
                  "by which the server knows this machine; where none is given, made of "
                  "/etc/machine-id, or a random one in /var/lib/causeway/host"},
                 {"background", "", "do not wait for the server, keep trying"},
                 via_option,
                 {"target", "NAME",
                  "with --via: the full name of the target; found by discovery where none is "
                  "given, except by srp"},
                 soft_option,
                 no_persist},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_attach,
        },
    };
});

} // namespace

} // namespace causeway

// SPDX-License-Identifier: GPL-2.0-or-later
// export add.
#include "command/verb.h"
#include "disk/key_option.h"
#include "soft/soft_device.h"
#include "transport/family.h"

namespace causeway {

namespace {

Result<Answer> add_export(World &world, const Arguments &arguments) {
    const TransportFamily &family = family_for(arguments);
    const auto action = TRY(family.export_add(world, arguments));
    TRY(check_export_name(world, family, arguments.operands().front()));
    return perform(world, *action, arguments.dry_run());
}

Result<Answer> run_export_add(World &world, const Arguments &arguments) {
    return with_soft_device(world, arguments, add_export);
}

const VerbRows export_add_rows(Section::disks, 1, [] {
    return std::vector<Verb>{
        {
            .words = "export add",
            .operands = "NAME",
            .summary = "offer a device, a file or memory as a disk",
            .options =
                {{"device", "DEVICE", "block device, opened exclusively"},
                 {"file", "FILE", "regular file, read and written without the page cache"},
                 {"ram", "SIZE", "memory, such as 512M; its content does not survive"},
                 {"read-only", "", "refuse writes"},
                 {"exclusive", "", "one host at a time owns it"},
                 {"write-through", "", "every write is on stable storage before it is answered"},
                 {"allow", "any|CIDR...",
                  "networks that may attach, or any: every host; --key-file alone does too", true},
                 key_option,
                 {"uuid", "UUID", "identity of the disk; a random one where none is given"},
                 {"takeover-after", "SECONDS",
                  "with --exclusive: another machine may take the disk when its owner was silent "
                  "for so "
                  "long; 0, the default: never"},
                 {"state-folder", "DIR",
                  "where the ledger of the disk's owners is kept, not in /var/lib/causeway/owners"},
                 {"forget-owners", "",
                  "discard the owners, where their ledger is lost: all machines have to detach and "
                  "attach, and evictions are forgotten"},
                 via_option,
                 {"scsi", "DEVICE", "with --via: a SCSI device, its commands passed through"},
                 {"initiator", "NAME...",
                  "with --via: who may attach, by IQN, NQN or SRP GUID; or --allow any", true},
                 {"portal", "ADDRESS[:PORT]", "with --via: where to listen, not everywhere"},
                 {"target", "NAME", "with --via: IQN or NQN; made of NAME where not given"},
                 soft_option,
                 no_persist},
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_export_add,
        },
    };
});

} // namespace

} // namespace causeway

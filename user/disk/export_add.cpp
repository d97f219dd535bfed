// SPDX-License-Identifier: GPL-2.0-or-later
// export add.
#include "command/verb.h"
#include "disk/key_option.h"
#include "soft/soft_device.h"
#include "stock/chap.h"
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
                 {"file", "FILE",
                  "regular file, read and written by direct I/O, which its file system must have"},
                 {"ram", "SIZE", "memory, such as 512M; its content is lost when the export ends"},
                 {"read-only", "", "refuse writes"},
                 {"exclusive", "", "one host at a time owns the disk"},
                 {"write-through", "", "put every write on stable storage before its completion"},
                 {"tcp", "", "serve the disk over TCP too, at the port after that of RDMA: 4794"},
                 {"allow", "any|CIDR...",
                  "networks that may attach, or any: every host; with --key-file it may be left "
                  "out, with --via it takes any alone",
                  true},
                 key_option,
                 {"uuid", "UUID", "identity of the disk, not with --ram; by default a random one"},
                 {"takeover-after", "SECONDS",
                  "with --exclusive: another machine may take the disk when its owner was silent "
                  "for so "
                  "long; 0, the default: never"},
                 {"state-folder", "DIR",
                  "existing folder for the ledger of the disk's owners, an absolute path; by "
                  "default /var/lib/causeway/owners"},
                 {"forget-owners", "",
                  "discard the owners if their ledger is lost: all machines have to detach and "
                  "attach, and evictions are forgotten"},
                 {"address", "ADDRESS...",
                  "addresses of this machine that the server names to clients, the preferred one "
                  "first, at most 8, or none; by default those of /etc/causeway/addresses, else "
                  "all "
                  "of interfaces with an RDMA device",
                  true},
                 via_option,
                 {"scsi", "DEVICE", "with --via: a SCSI device, its commands passed through"},
                 {"initiator", "NAME...",
                  "with --via: clients that may attach, by IQN, NQN or SRP GUID; --allow any "
                  "admits all, except by srp",
                  true},
                 {"portal", "ADDRESS[:PORT]...",
                  "with --via: the addresses to listen on, at most 16; by default all", true},
                 {"target", "NAME",
                  "with --via: IQN, NQN or SRP GUID; by default made from NAME, or the GUID of the "
                  "port. The disk joins a target that another export has"},
                 {"lun", "NUMBER",
                  "with --via and --target: LUN or number of the namespace, 0 to 255; by default "
                  "the first that is free"},
                 {"buffered", "",
                  "with --via and --file: through the page cache, with a volatile write cache; by "
                  "default by direct I/O for NVMe, and written through for LIO"},
                 {"block-size", "512|1024|2048|4096",
                  "with --via and --file or --ram, except by NVMe: size of a logical block"},
                 {"unmap", "", "with --via, except by NVMe: clients may discard blocks (UNMAP)"},
                 chap_options[0],
                 chap_options[1],
                 chap_options[2],
                 chap_options[3],
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

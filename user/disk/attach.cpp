// SPDX-License-Identifier: GPL-2.0-or-later
// attach.
#include "base/disk_settings.h"
#include "command/verb.h"
#include "disk/key_option.h"
#include "soft/soft_device.h"
#include "stock/chap.h"
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

std::vector<OptionSpec> attach_specs() {
    std::vector<OptionSpec> all = {
        {"path", "ADDRESS...",
         "addresses of the server, one for each path to the disk, 1 to 8, the preferred one first; "
         "auto: that of SERVER and all that the server names on networks of this machine's RDMA "
         "devices; by default one path to the address of SERVER",
         true},
        {"from", "ADDRESS...",
         "addresses of this machine from which the paths connect, one for each --path in the same "
         "order; any: the routes decide for that path",
         true},
        {"transport", "rdma|tcp|rdma,tcp",
         "by RDMA, over TCP, or one path for each of the two; by default rdma. TCP needs a disk "
         "that was exported with --tcp"}};
    for (const AttachOption &option : attach_options) {
        all.push_back({option.word, option.operand, option.help});
    }
    all.insert(
        all.end(),
        {key_option,
         {"host-uuid", "UUID",
          "UUID by which the server knows this machine; by default made from /etc/machine-id, else "
          "a random one in /var/lib/causeway/host"},
         {"background", "", "do not wait for the server; keep trying in the background"},
         via_option,
         {"target", "NAME",
          "with --via: full name of the target; by default found by discovery, except with srp"},
         chap_options[0],
         chap_options[1],
         chap_options[2],
         chap_options[3],
         soft_option,
         no_persist});
    return all;
}

const VerbRows attach_rows(Section::disks, 6, [] {
    return std::vector<Verb>{
        {
            .words = "attach",
            .operands = "SERVER[:PORT]/NAME",
            .summary = "make a server's export a disk of this machine",
            .options = attach_specs(),
            .least_operands = 1,
            .most_operands = 1,
            .changes = true,
            .run = run_attach,
        },
    };
});

} // namespace

} // namespace causeway

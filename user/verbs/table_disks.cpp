// SPDX-License-Identifier: GPL-2.0-or-later
// The verbs of disks: what a server exports and a client attaches.
#include "verbs/tables.h"
#include "verbs/verbs.h"

namespace causeway {

namespace {

constexpr OptionSpec key_file{"key-file", "FILE",
                              "pre-shared key, 16 to 64 bytes in a file that only root may read"};

constexpr OptionSpec host_option{"host", "UUID|ADDRESS|NAME",
                                 "which machine, as export list shows it"};

constexpr OptionSpec via_option{"via", "iser|iscsi|nvme|srp",
                                "by the kernel's own transport, for peers without Causeway"};

} // namespace

std::vector<Verb> export_verbs() {
    return {
        {"export add",
         "NAME",
         "offer a device, a file or memory as a disk",
         {{"device", "DEVICE", "block device, opened exclusively"},
          {"file", "FILE", "regular file, read and written without the page cache"},
          {"ram", "SIZE", "memory, such as 512M; its content does not survive"},
          {"read-only", "", "refuse writes"},
          {"exclusive", "", "one host at a time owns it"},
          {"write-through", "", "every write is on stable storage before it is answered"},
          {"allow", "any|CIDR...",
           "networks that may attach, or any: every host; --key-file alone does too", true},
          key_file,
          {"uuid", "UUID", "identity of the disk; a random one where none is given"},
          {"takeover-after", "SECONDS",
           "with --exclusive: another machine may take the disk when its owner was silent for so "
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
         1,
         1,
         true,
         run_export_add},
        {"export remove",
         "NAME",
         "stop offering it, now and at boot",
         {{"force", "", "even while clients have it attached: they wait until it is back"}},
         1,
         1,
         true,
         run_export_remove},
        {"export evict",
         "NAME",
         "end all access of a machine to a disk, until it is readmitted",
         {host_option,
          {"timeout", "SECONDS",
           "wait for so long until no command of it is left; without: as long as it takes"}},
         1,
         1,
         true,
         run_export_evict},
        {"export readmit",
         "NAME",
         "let a machine that was evicted attach the disk again",
         {host_option},
         1,
         1,
         true,
         run_export_readmit},
        {"export list", "", "show what this machine offers", {}, 0, 0, false, run_export_list},
    };
}

std::vector<Verb> attach_verbs() {
    return {
        {"discover",
         "SERVER[:PORT]",
         "show what a server offers to this machine",
         {},
         1,
         1,
         false,
         run_discover},
        {"attach",
         "SERVER[:PORT]/NAME",
         "make a server's export a disk of this machine",
         {{"queues", "N", "connections for data; where none is given, one per CPU and at most 8"},
          {"poll-queues", "N", "so many more that are polled, for hipri I/O"},
          {"depth", "N", "commands in flight on each"},
          {"io-timeout", "SECONDS",
           "hold I/O for so long without a server, then fail it; 0 holds it for ever"},
          {"fast-fail", "SECONDS|off",
           "fail I/O that is to fail fast, as of dm-multipath, after so long without a server; 1"},
          key_file,
          {"host-uuid", "UUID",
           "by which the server knows this machine; made of /etc/machine-id where not given"},
          {"background", "", "do not wait for the server, keep trying"},
          via_option,
          {"target", "NAME", "with --via: its full name; found out where not given"},
          soft_option,
          no_persist},
         1,
         1,
         true,
         run_attach},
        {"detach",
         "SERVER/NAME | --all",
         "give a disk back, now and at boot",
         {{"force", "", "even while it is open: its I/O fails"}, {"all", "", "every disk"}},
         0,
         1,
         true,
         run_detach},
        {"list", "", "show the attached disks", {}, 0, 0, false, run_list},
        {"acknowledge",
         "SERVER/NAME",
         "accept that writes were lost, let flushes pass again",
         {},
         1,
         1,
         true,
         run_acknowledge},
    };
}

} // namespace causeway

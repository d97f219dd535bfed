// SPDX-License-Identifier: GPL-2.0-or-later
// The table of verbs: the command line, the help and the completions all come from here.
#include "command/verb.h"
#include "verbs/verbs.h"

namespace causeway {

namespace {

constexpr OptionSpec key_file{"key-file", "FILE",
                              "pre-shared key, 1 to 64 bytes in a file that only root may read"};
constexpr OptionSpec no_persist{"no-persist", "",
                                "until the next reboot only: write nothing under /etc"};

std::vector<Verb> server_verbs() {
    return {
        {"export add",
         "NAME",
         "offer a device, a file or memory as a disk",
         {{"device", "DEVICE", "block device, opened exclusively"},
          {"file", "FILE", "regular file, read and written without the page cache"},
          {"ram", "SIZE", "memory, such as 512M; its content does not survive"},
          {"read-only", "", "refuse writes"},
          {"exclusive", "", "one client machine at a time"},
          {"write-through", "", "every write is on stable storage before it is answered"},
          {"allow", "CIDR...", "networks that may attach; everyone where none is given", true},
          key_file,
          {"uuid", "UUID", "identity of the disk; a random one where none is given"},
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
        {"export list", "", "show what this machine offers", {}, 0, 0, false, run_export_list},
    };
}

std::vector<Verb> client_verbs() {
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
         {{"queues", "N", "connections for data; one per CPU where none is given"},
          {"poll-queues", "N", "so many more that are polled, for hipri I/O"},
          {"depth", "N", "commands in flight on each"},
          {"io-timeout", "SECONDS",
           "hold I/O for so long without a server, then fail it; 0 holds it for ever"},
          key_file,
          {"background", "", "do not wait for the server, keep trying"},
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

std::vector<Verb> nfs_verbs() {
    return {
        {"nfs serve",
         "PATH",
         "serve a folder by NFS over RDMA, now and at boot",
         {{"to", "CIDR...", "networks that may mount it; everyone where none is given", true},
          {"port", "N", "RDMA port of nfsd, 20049 where none is given"},
          {"read-only", "", "refuse writes"},
          {"options", "OPTIONS", "more export options, such as sec=krb5p,no_root_squash", false,
           false, 'o'}},
         1,
         1,
         true,
         run_nfs_serve},
        {"nfs unserve",
         "PATH",
         "stop serving it, now and at boot",
         {},
         1,
         1,
         true,
         run_nfs_unserve},
        {"nfs mount",
         "SERVER:PATH DIR",
         "mount by RDMA, or by TCP where there is no RDMA",
         {{"persist", "", "at boot too, by a systemd unit"},
          {"require", "rdma", "refuse where there is no RDMA"},
          {"options", "OPTIONS",
           "options of mount.nfs; port=N is the RDMA port, tcp-port=N the other", false, false,
           'o'}},
         2,
         2,
         true,
         run_nfs_mount},
        {"nfs umount",
         "DIR",
         "unmount, and no longer mount it at boot",
         {{"force", "", "even though its server does not answer"},
          {"lazy", "", "even while files of it are open"}},
         1,
         1,
         true,
         run_nfs_umount},
        {"nfs remount",
         "DIR...",
         "back to RDMA, or to the transport that is chosen now",
         {},
         1,
         64,
         true,
         run_nfs_remount},
        {"nfs transport",
         "[causeway|in-tree]",
         "show or choose whose kernel module carries NFS over RDMA",
         {},
         0,
         1,
         true,
         run_nfs_transport},
        {"nfs rule add",
         "CIDR",
         "mounts of servers in this network connect from these addresses",
         {{"from", "ADDRESS...", "local addresses, each another rail", true}, no_persist},
         1,
         1,
         true,
         run_nfs_rule_add},
        {"nfs rule remove", "CIDR", "forget such a rule", {}, 1, 1, true, run_nfs_rule_remove},
        {"nfs rule list", "", "show these rules", {}, 0, 0, false, run_nfs_rule_list},
    };
}

std::vector<Verb> shared_verbs() {
    return {
        {"net", "", "show who is connected, how, and why not", {}, 0, 0, false, run_net},
        {"stat", "[SERVER/NAME]", "show counters and latencies", {}, 0, 1, false, run_stat},
        {"watch",
         "",
         "print events as they happen",
         {{"count", "N", "end after so many"},
          {"until", "EVENT", "end after the first of this kind, such as up or down"},
          {"timeout", "SECONDS", "give up after so long, exit 75"}},
         0,
         0,
         false,
         run_watch},
        {"restore",
         "",
         "bring back all that is configured under /etc/causeway",
         {},
         0,
         0,
         true,
         run_restore},
        {"stop",
         "",
         "end all exports in order, so that clients lose nothing",
         {{"all", "", "detach this machine's disks too"}},
         0,
         0,
         true,
         run_stop},
        {"help", "[VERB]", "explain a verb", {}, 0, 3, false, run_help},
        {"version",
         "",
         "show the version of the command and of the loaded modules",
         {},
         0,
         0,
         false,
         run_version},
    };
}

} // namespace

const std::vector<Verb> &all_verbs() {
    static const std::vector<Verb> verbs = [] {
        std::vector<Verb> all = server_verbs();
        for (auto more : {client_verbs(), nfs_verbs(), shared_verbs()}) {
            all.insert(all.end(), more.begin(), more.end());
        }
        return all;
    }();
    return verbs;
}

std::vector<std::string> verb_words() {
    std::vector<std::string> words;
    for (const Verb &verb : all_verbs()) {
        words.emplace_back(verb.words);
    }
    return words;
}

} // namespace causeway

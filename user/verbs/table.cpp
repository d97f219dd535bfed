// SPDX-License-Identifier: GPL-2.0-or-later
// The table of verbs: the command line, the help and the completions all come from here.
#include "verbs/tables.h"
#include "verbs/verbs.h"

namespace causeway {

namespace {

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
         {{"own", "", "without what goes by NVMe, iSER, iSCSI and SRP"},
          {"stock", "", "only what goes by NVMe, iSER, iSCSI and SRP"}},
         0,
         0,
         true,
         run_restore},
        {"stop",
         "",
         "end all exports in order, so that clients lose nothing",
         {{"all", "", "detach this machine's disks too"},
          {"force", "",
           "even while clients have them attached: their I/O waits; with --all also a disk that is "
           "open and has no server: its I/O fails"}},
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
        std::vector<Verb> all = export_verbs();
        for (auto more :
             {attach_verbs(), nfs_verbs(), host_verbs(), ipoib_verbs(), sm_verbs(), port_verbs(),
              access_verbs(), seeing_verbs(), diagnosis_verbs(), shared_verbs(), hidden_verbs()}) {
            all.insert(all.end(), more.begin(), more.end());
        }
        return all;
    }();
    return verbs;
}

std::vector<std::string> verb_words() {
    std::vector<std::string> words;
    for (const Verb &verb : all_verbs()) {
        if (!verb.hidden) {
            words.emplace_back(verb.words);
        }
    }
    return words;
}

} // namespace causeway

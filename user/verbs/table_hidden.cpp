// SPDX-License-Identifier: GPL-2.0-or-later
// Verbs that programs call and people do not: no help names them.
#include "verbs/tables.h"
#include "verbs/verbs.h"

namespace causeway {

std::vector<Verb> hidden_verbs() {
    std::vector<Verb> verbs = {
        {"complete",
         "[--] WORD...",
         "for shells: what may stand for the last word",
         {},
         0,
         1000,
         false,
         run_complete},
        {"detach-running",
         "SERVER/NAME",
         "for stop: detach until the next boot, and no longer than the caller lets it run",
         {{"force", "", "even while it is open"}},
         1,
         1,
         false,
         run_detach_running},
        {"stop-stock-export",
         "NAME",
         "for stop: end the export by NVMe, iSER, iSCSI or SRP until the next restore",
         {},
         1,
         1,
         false,
         run_stop_stock_export},
        {"stop-stock-disk",
         "SERVER/NAME",
         "for stop: detach the disk by NVMe, iSER, iSCSI or SRP until the next restore",
         {},
         1,
         1,
         false,
         run_stop_stock_disk},
        {"manual",
         "FILE",
         "for the build: a page of scdoc(5) with the verbs filled in",
         {},
         1,
         1,
         false,
         run_manual},
    };
    for (Verb &verb : verbs) {
        verb.hidden = true;
        verb.verbatim = verb.run == run_complete;
    }
    return verbs;
}

} // namespace causeway

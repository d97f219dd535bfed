// SPDX-License-Identifier: GPL-2.0-or-later
// The verbs of the subnet manager.
#include "verbs/tables.h"
#include "verbs/verbs.h"

namespace causeway {

namespace {

constexpr OptionSpec priority{"priority", "0-15", "who of several is the master: the highest"};
constexpr OptionSpec sweep{"sweep", "SECONDS", "how often it looks for changes; 0 for never"};
constexpr OptionSpec routing{"routing", "ENGINE", "minhop, updn, ftree, ...: opensm(8) explains"};

} // namespace

std::vector<Verb> sm_verbs() {
    return {
        {"sm enable",
         "[DEVICE[/PORT]|GUID...]",
         "run a subnet manager of InfiniBand here, now and at every boot",
         {{"standby", "", "beside another one, to take over where that fails"},
          priority,
          sweep,
          routing},
         0,
         64,
         true,
         run_sm_enable},
        {"sm set", "", "change its settings", {priority, sweep, routing}, 0, 0, true, run_sm_set},
        {"sm status",
         "",
         "show ports, their subnet manager, and the partitions",
         {},
         0,
         0,
         false,
         run_sm_status},
        {"sm partition add",
         "P_KEY",
         "make or change a partition",
         {{"name", "NAME", "its name in opensm's log"},
          {"member", "GUID|ALL|SELF[=full|limited]...", "its ports; ALL=full where none is given",
           true},
          {"ipoib", "", "for IP over InfiniBand: with a broadcast group"},
          {"rate", "GBPS", "of that group: slower ports stay out"},
          {"mtu", "BYTES", "of that group: 256 to 4096"}},
         1,
         1,
         true,
         run_sm_partition_add},
        {"sm partition remove",
         "P_KEY",
         "remove a partition",
         {},
         1,
         1,
         true,
         run_sm_partition_remove},
    };
}

} // namespace causeway

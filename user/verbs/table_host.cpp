// SPDX-License-Identifier: GPL-2.0-or-later
// The verbs that make a machine ready for RDMA, and take that back.
#include "verbs/tables.h"
#include "verbs/verbs.h"

namespace causeway {

namespace {

constexpr OptionSpec no_persist{"no-persist", "",
                                "until the next reboot only: write nothing under /etc"};

} // namespace

std::vector<Verb> host_verbs() {
    return {
        {"show",
         "[DEVICE]",
         "show RDMA devices: ports, state, rate, addresses, firmware",
         {},
         0,
         1,
         false,
         run_show},
        {"soft add",
         "rxe|siw NETDEV",
         "make an RDMA device by software on a network device",
         {{"name", "NAME", "its name; rxe0 or the next that is free where none is given"},
          no_persist,
          {"at-boot", "", "as its unit calls it: repeats what was set up once", false, true}},
         2,
         2,
         true,
         run_soft_add},
        {"soft remove",
         "DEVICE|NETDEV",
         "remove it, now and at boot",
         {},
         1,
         1,
         true,
         run_soft_remove},
        {"name set",
         "OLD NEW",
         "give an IP over InfiniBand interface a lasting name",
         {{"rdma", "", "an RDMA device instead, by its node GUID"}},
         2,
         2,
         true,
         run_name_set},
        {"limits set",
         "[unlimited|SIZE]",
         "how much memory programs may lock for RDMA; unlimited where none is given",
         {{"for", "WHO...", "a user, @GROUP or '*'; @rdma where none is given", true},
          {"service", "NAME...", "services of systemd, by a drop-in each", true}},
         0,
         1,
         true,
         run_limits_set},
        {"modules enable",
         "MODULE...",
         "load kernel modules now and at boot",
         {},
         1,
         64,
         true,
         run_modules_enable},
        {"modules disable",
         "MODULE...",
         "load them no longer at boot",
         {},
         1,
         64,
         true,
         run_modules_disable},
        {"modules list",
         "",
         "show the kernel modules that RDMA may want",
         {},
         0,
         0,
         false,
         run_modules_list},
        {"undo",
         "[N]",
         "take back a change of the host, the last where no N is given",
         {{"list", "", "show what was changed"}},
         0,
         1,
         true,
         run_undo},
    };
}

} // namespace causeway

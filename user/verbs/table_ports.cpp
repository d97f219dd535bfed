// SPDX-License-Identifier: GPL-2.0-or-later
// The verbs of ports and links: versions of RoCE, types of ports, flow control, known faults.
#include "verbs/tables.h"
#include "verbs/verbs.h"

namespace causeway {

namespace {

constexpr OptionSpec at_boot_hidden{
    "at-boot", "", "as its unit calls it: repeats what was set up once", false, true};

} // namespace

std::vector<Verb> port_verbs() {
    return {
        {"roce mode",
         "[DEVICE] [v1|v2]",
         "show or set the version of RoCE that connections take",
         {no_persist, at_boot_hidden},
         0,
         2,
         true,
         run_roce_mode},
        {"port enable",
         "DEVICE[/PORT]",
         "wake a port of InfiniBand, now and at every boot",
         {no_persist, at_boot_hidden},
         1,
         1,
         true,
         run_port_enable},
        {"port type",
         "DEVICE[/PORT] ib|eth|auto",
         "what a port of mlx4 speaks, now and at every boot",
         {no_persist},
         2,
         2,
         true,
         run_port_type},
        {"pfc show",
         "[INTERFACE|DEVICE]",
         "show priority flow control of interfaces that carry RoCE",
         {},
         0,
         1,
         false,
         run_pfc_show},
        {"pfc set",
         "PRIORITY...|none",
         "priority flow control of mlx4 Ethernet ports, from the next boot on",
         {{"no-initramfs", "", "do not make the initramfs anew"}},
         1,
         8,
         true,
         run_pfc_set},
        {"fix tso",
         "[INTERFACE]",
         "turn off an offload that the first ConnectX does wrong",
         {},
         0,
         1,
         true,
         run_fix_tso},
    };
}

} // namespace causeway

// SPDX-License-Identifier: GPL-2.0-or-later
// The verbs of IP over InfiniBand.
#include "verbs/tables.h"
#include "verbs/verbs.h"

namespace causeway {

namespace {

constexpr OptionSpec backend{"backend", "nm|networkd|ifupdown",
                             "by whom it is kept for the next boot, if not by whoever manages the "
                             "network here"};
constexpr OptionSpec mode{"mode", "connected|datagram", "how packets travel"};
constexpr OptionSpec mtu{"mtu", "BYTES", "up to 4092 in datagram mode, 65520 in connected mode"};

constexpr OptionSpec without{"without", "ADDRESS...",
                             "addresses that the interface has now and the profile shall not have, "
                             "such as those that a cluster moves",
                             true};
constexpr OptionSpec confirmed{"confirmed", "",
                               "do not wait for \"causeway confirm\", although a session runs over "
                               "the interface: for scripts"};

} // namespace

std::vector<Verb> ipoib_verbs() {
    return {
        {"ipoib show",
         "[INTERFACE]",
         "show IP over InfiniBand: mode, MTU, P_Key, port GUID, addresses",
         {},
         0,
         1,
         false,
         run_ipoib_show},
        {"ipoib set",
         "INTERFACE",
         "change its mode or MTU, now and at every boot",
         {mode, mtu, without, backend, no_persist, confirmed},
         1,
         1,
         true,
         run_ipoib_set},
        {"ipoib child add",
         "PARENT P_KEY",
         "make an interface in another partition",
         {mode, mtu, without, backend, no_persist, confirmed},
         2,
         2,
         true,
         run_ipoib_child_add},
        {"ipoib child remove",
         "INTERFACE",
         "remove it, now and at boot",
         {confirmed},
         1,
         1,
         true,
         run_ipoib_child_remove},
        {"ipoib addr",
         "INTERFACE [ADDRESS/LENGTH...]",
         "give an interface these static addresses in place of those it has, now and at every boot",
         {{"gateway", "ADDRESS...",
           "a router of each family, in place of that family's; 'none' takes all away", true},
          {"dns", "ADDRESS...", "name servers; 'none' takes them away; without, they stay", true},
          {"none", "", "take away what this verb has given"},
          without,
          backend,
          confirmed},
         1,
         64,
         true,
         run_ipoib_addr},
        {"ipoib export",
         "",
         "write the interfaces of this host as a playbook for it",
         {{"ansible", "", "for the network role of RHEL's system roles"}},
         0,
         0,
         false,
         run_ipoib_export},
    };
}

} // namespace causeway

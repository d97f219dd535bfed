// SPDX-License-Identifier: GPL-2.0-or-later
// The verbs that find out what is wrong, and say what words and numbers of RDMA mean.
#include "verbs/tables.h"
#include "verbs/verbs.h"

namespace causeway {

std::vector<Verb> diagnosis_verbs() {
    return {
        {"doctor",
         "",
         "find what is wrong, why, and what fixes it",
         {{"fix", "", "fix what Causeway can fix; undo takes back what it lists"},
          {"bundle", "FILE", "write a tar of what is known, without secrets, for a report"},
          {"nagios", "", "one line, and 0, 1, 2 or 3 as exit status"},
          {"list", "", "show all that is looked for"},
          {"markdown", "", "the list as docs/DOCTOR.md has it", false, true}},
         0,
         0,
         true,
         run_doctor},
        {"explain rate",
         "[SPEED|GB/S|rate=N]",
         "what a rate means, and what of it is left for data",
         {},
         0,
         3,
         false,
         run_explain_rate},
        {"explain address",
         "ADDRESS",
         "the parts of an IPoIB address, GUID, GID, LID or Ethernet address",
         {},
         1,
         1,
         false,
         run_explain_address},
        {"explain mode",
         "[connected|datagram|INTERFACE]",
         "the modes of IP over InfiniBand, and what an interface can do",
         {},
         0,
         1,
         false,
         run_explain_mode},
        {"fabric",
         "",
         "hosts, switches, links, bad links and partitions of InfiniBand",
         {{"device", "DEVICE", "seen from this one; the first active one where none is given"}},
         0,
         0,
         false,
         run_fabric},
        {"ping",
         "",
         "whether a peer can be reached by RDMA",
         {{"ip", "ADDRESS", "by IP address, on InfiniBand, RoCE and iWARP"},
          {"ib", "LID|GUID", "by the address of a port of InfiniBand"},
          {"port", "N", "with --ip: of which service; 4793, then 20049 where none is given"},
          {"count", "N", "how often; 3 where none is given"}},
         0,
         0,
         false,
         run_ping},
    };
}

} // namespace causeway

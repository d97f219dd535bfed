// SPDX-License-Identifier: GPL-2.0-or-later
// The faults of the server, by the name of the export that a client asks for.
#ifndef PEER_HOST_CASES_H
#define PEER_HOST_CASES_H

#include "host.h"

namespace peer
{

using Conducts = std::map<std::string, Conduct>;

Conducts host_login_cases();
Conducts host_data_cases();
Conducts host_acceptance_cases();
Conducts host_refusal_cases();
// All of these.
Conducts host_cases();

// Malformed acceptances of a link, by name.
std::map<std::string, Acceptance> wrong_acceptances();

// Serves every export of these names and honest ones whose name starts with "honest", until it is
// killed. The control links are accepted as @acceptances says, one after the other, and honestly
// then: "right", or a name of wrong_acceptances(). Says "listening" when it does, and what came of
// each connection.
int host_main(const Bytes &key, const std::vector<std::string> &acceptances);

} // namespace peer

#endif

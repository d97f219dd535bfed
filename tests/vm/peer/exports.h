// SPDX-License-Identifier: GPL-2.0-or-later
// A server that answers DISCOVER, mostly with a wrong list.
#ifndef PEER_EXPORTS_H
#define PEER_EXPORTS_H

#include <string>
#include <vector>

namespace peer
{

// The names of the lists.
std::vector<std::string> export_lists();

// Gives the lists of these names, one to each client that asks, and the last one to all further
// clients, until it is killed. Says "listening" when it does. Returns 2 if a name is unknown.
int exports_main(const std::vector<std::string> &names);

} // namespace peer

#endif

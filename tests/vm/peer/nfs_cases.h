// SPDX-License-Identifier: GPL-2.0-or-later
// A client of NFS over RDMA that breaks RPC-over-RDMA (RFC 8166) on purpose, or uses what the usual
// clients leave out.
#ifndef PEER_NFS_CASES_H
#define PEER_NFS_CASES_H

#include <netinet/in.h>

#include <functional>
#include <map>
#include <string>

namespace peer
{

// A case returns its outcome in one line.
using NfsCase = std::function<std::string(const sockaddr_in &server)>;
using NfsCases = std::map<std::string, NfsCase>;

NfsCases nfs_cases();

// @count messages with random headers; the same for the same seed.
std::string nfs_random(const sockaddr_in &server, unsigned seed, unsigned count);

// @count connections that make one call each and then have nothing to say, until standard input
// ends.
std::string nfs_strangers(const sockaddr_in &server, unsigned count);

} // namespace peer

#endif

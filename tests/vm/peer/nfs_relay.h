// SPDX-License-Identifier: GPL-2.0-or-later
// A server of NFS over RDMA that lets another one, over TCP on this machine, do the work: calls go
// there and answers come from there, but for what is done wrong on purpose.
#ifndef PEER_NFS_RELAY_H
#define PEER_NFS_RELAY_H

#include <functional>
#include <map>

#include "listener.h"
#include "nfs_header.h"

namespace peer
{

// What a call offers for its answer.
struct Offer {
	std::vector<Segment> write; // of the first write chunk
	std::vector<Segment> reply;
	bool reads = false; // a READ of NFS 3
};

class Relay;

// Deals with the answer to a call of NFS 3's READ in place of an honest server.
using Misdeed = std::function<void(Relay &, const Bytes &reply, const Offer &offer)>;
using Misdeeds = std::map<std::string, Misdeed>;

Misdeeds nfs_misdeeds();

// One connection of a client.
class Relay
{
      public:
	explicit Relay(Request request);
	~Relay();

	// Until either side ends the connection. @orders: a descriptor with lines, each the name of
	// a misdeed for the next READ's answer, or "burst FIRST SECOND": so many callbacks, and when
	// all were answered so many more; or "drop": this connection and the following end with
	// their first call, until an order says "serve". @drops says whether they do.
	void run(int orders, bool &drops);

	Link &link()
	{
		return link_;
	}
	// An answer as an honest server gives it; @length is what it says to have written.
	void answer(const Bytes &reply, const Offer &offer);
	// Puts the data of a READ into the write chunk: the answer without it. None: the answer has
	// no data, or the call no chunk.
	std::optional<Words> place(const Bytes &reply, const Offer &offer);
	// The list of write chunks with @length bytes used of the first.
	static Words used(const Offer &offer, u32 length);
	void send(const Words &message)
	{
		link_.send(message.bytes());
	}

      private:
	void take_order(int orders, bool &drops);
	void from_client(const Bytes &message);
	void from_server();
	void burst(unsigned count);
	Bytes whole_call(const NfsMessage &answer, size_t &at, Offer &offer);

	Link link_;
	int server_;
	Bytes partial_;
	std::map<u32, Offer> offers_;
	Misdeed next_;
	unsigned unanswered_ = 0, second_burst_ = 0;
	u32 back_xid_ = 0xcb000000;
};

int nfs_relay_main();

} // namespace peer

#endif

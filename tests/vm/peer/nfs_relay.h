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

// The memory that a call offers for its answer.
struct Offer {
	std::vector<Segment> write; // of the first write chunk
	std::vector<Segment> reply;
	bool reads = false; // a READ of NFS 3
	bool held = false; // the answer
};

class Relay;

// Deals with the answer to a call of NFS 3's READ in place of an honest server.
using Misdeed = std::function<void(Relay &, const Bytes &reply, const Offer &offer)>;
using Misdeeds = std::map<std::string, Misdeed>;

Misdeeds nfs_misdeeds();

// How the relay treats its client, over this connection and the following ones. The relay passes on
// what it holds when the next mode is ordered, and loses that when the connection ends first.
struct Mode {
	bool drops = false; // each connection ends with its first call
	bool holds_requests = false; // for a connection
	bool holds_calls = false; // before the server has them
	bool prints_rkeys = false; // of each segment of the write chunks
	std::string holds_answers{}; // of the server, to calls that have this text in them
};

// One connection of a client.
class Relay
{
      public:
	Relay(Request request, Mode &mode);
	~Relay();

	// Until either side ends the connection. @orders: a descriptor with lines, each one of
	//
	//   a misdeed            for the next READ's answer
	//   burst FIRST SECOND   so many callbacks, and when all were answered so many more
	//   hold-receives        callbacks until no receive is left for a reply to one
	//   a mode               drop, hold-requests, hold-calls, print-rkeys,
	//                        hold-answers TEXT, or serve, which is none of those and
	//                        releases what was held
	void run(int orders);

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
	void take_order(const std::string &order);
	void release();
	void take_message();
	void from_client(const Bytes &message);
	void from_server();
	void to_client(const Bytes &rpc);
	void burst(size_t count);
	void burst_answered();
	void use_up_receives();
	Bytes whole_call(const NfsMessage &answer, size_t &at, Offer &offer);

	Mode &mode_;
	Link link_;
	int server_;
	Bytes partial_;
	std::map<u32, Offer> offers_;
	Misdeed next_;
	std::deque<Bytes> held_calls_, held_answers_;
	size_t unanswered_ = 0, second_burst_ = 0; // callbacks
	bool receives_used_up_ = false;
	u32 back_xid_ = 0xcb000000;
};

int nfs_relay_main();

} // namespace peer

#endif

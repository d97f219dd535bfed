// SPDX-License-Identifier: GPL-2.0-or-later
// Where clients connect to.
#ifndef PEER_LISTENER_H
#define PEER_LISTENER_H

#include "link.h"

namespace peer
{

// A request of a client; one that is thrown away is rejected.
struct Request {
	Handle<rdma_cm_id> id;
	Bytes words; // the private data, padded by the connection manager
};

class Listener
{
      public:
	explicit Listener(u16 port);

	// The next request. Throws Failure when none comes in @limit.
	Request next(std::chrono::milliseconds limit);
	// Waits until there is one, or for @limit.
	void wait(std::chrono::milliseconds limit);
	// Returns true if there is a request now.
	bool ready();
	// Rejects it with this private data.
	static void reject(Request request, const Bytes &words);

      private:
	void take();

	Handle<rdma_event_channel> channel_;
	Handle<rdma_cm_id> id_;
	std::deque<Request> requests_;
};

} // namespace peer

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
// Words on the wire: headers of RPC over RDMA, calls of NFS, and what came back.
#ifndef PEER_NFS_HEADER_H
#define PEER_NFS_HEADER_H

#include "link.h"

namespace peer
{

// Words in the order of the network.
class Words
{
      public:
	Words() = default;
	Words(std::initializer_list<u32> list);
	Words &operator+=(const Words &more);
	Words operator+(const Words &more) const;
	size_t size() const
	{
		return bytes_.size();
	}
	const Bytes &bytes() const
	{
		return bytes_;
	}
	u32 at(size_t index) const;
	void set(size_t index, u32 value);

      private:
	Bytes bytes_;
};

enum : u32 { MSG = 0, NOMSG = 1, MSGP = 2, DONE = 3, ERROR = 4 };
enum : u32 { ERR_VERS = 1, ERR_CHUNK = 2 };

struct Segment {
	u32 handle, length;
	u64 offset;
};

Words fixed(u32 xid, u32 proc = MSG, u32 version = 1, u32 credits = 16);
Words segment(const Segment &what);
Words read_entry(u32 position, const Segment &what); // of a read list
Words chunk(const std::vector<Segment> &segments); // of a write list, and the reply chunk
const Words NOTHING{0}; // an empty list, the end of one

// ONC RPC: program 100003. NFS 3, procedure 0.
Words null_call(u32 xid);
// Lists the root by NFS 4.0: a long answer.
Words list_call(u32 xid);

// The header of a message that was received.
struct NfsMessage {
	u32 xid, version, credits, proc;
	Words words; // all of it
};
NfsMessage answer_of(const Bytes &message);

// The private data of RFC 8797: 1 KiB each way, and remote invalidation.
Bytes modest_request();

} // namespace peer

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
// A server of disks that does as docs/PROTOCOL.md says, but for what its conduct changes.
#ifndef PEER_HOST_H
#define PEER_HOST_H

#include <functional>
#include <map>

#include "listener.h"
#include "session.h"

namespace peer
{

class Visit;

// The private data with which a link of this kind is accepted.
using Acceptance = std::function<Bytes(u8 kind)>;

// Steps of a connection, in their order.
enum class Step { hello, challenge, welcome, data_link, serving };

// The deviations of a server from an honest one. A function that is not set changes nothing.
struct Conduct {
	// How many of a session's connections are met like this; those behind are met honestly.
	unsigned times = 1;
	u64 features = 0; // of those offered
	u16 queues = 1; // of those wished; at most two
	// Comes before the step. False: the server says nothing from there on.
	std::function<bool(Visit &, Step)> before;
	std::function<void(cw_wire_challenge &)> challenge;
	// With the server's proof in it.
	std::function<void(cw_wire_welcome &)> welcome;
	// Before the proof is made, which covers it.
	std::function<void(cw_wire_welcome &)> proved_welcome;
	Acceptance data_link;
	// A command between the two honest parts of the disk. True: it has been dealt with.
	std::function<bool(Visit &, const cw_cmd &)> command;
};

// One connection of a session: a control link, and one or two data links.
class Visit
{
      public:
	static constexpr u64 SIZE = 8 << 20;
	// blkid, which udev runs, looks up to 2 MiB and at the end of a disk.
	static constexpr u64 HONEST_UP_TO = 3 << 20;
	static constexpr u64 HONEST_FROM = 4 << 20;
	static constexpr u16 DEPTH = 8;
	static constexpr u32 MAX_IO = 16 * CW_WIRE_PAGE;
	static constexpr u8 IDENTITY = 0x22; // each byte

	// Accepts the request for the control link with this private data, and waits for HELLO.
	Visit(Listener &listener, Request request, const Bytes &key, const Bytes &acceptance);

	// The login's first message: who comes.
	const cw_hello &hello() const
	{
		return hello_;
	}
	// Refuses the login with this identity; behind PROOF with a proof. @harm comes after it.
	void refuse(u16 reason, const std::string &text, u8 identity = 0,
		    const std::function<void(cw_wire_refused &)> &harm = {});
	// The rest of the connection, until the client closes it.
	void run(const Conduct &conduct);

	Link &control()
	{
		return *control_;
	}
	// The data link whose message is dealt with.
	Link &data()
	{
		return *data_.at(at_).link;
	}
	// The other one of two.
	Link &other_data()
	{
		return *data_.at(1 - at_).link;
	}
	// Answers a message of the control link if it is a PROBE, and says whether it was one.
	bool answered_probe(const Bytes &bytes);
	// Answers a command as an honest server does.
	void answer(const cw_cmd &cmd);
	// One answer without data.
	void complete(u16 slot, u8 status = CW_STATUS_OK);
	// Says that the login waits.
	void wait(u16 reason, u32 commands = 0);
	// Answers as they are, in one message with this data.
	void complete(const std::vector<cw_done> &done, const Bytes &data = {});
	Message completions(const std::vector<cw_done> &done, const Bytes &data = {});
	Bytes content(u64 offset, u32 len) const;

	std::vector<cw_cmd> held; // commands that wait for others
	bool muted = false; // nothing is sent on the data link any more

      private:
	struct DataLink {
		std::unique_ptr<Link> link;
		u32 taken = 0; // messages with records
	};

	void challenge(const Conduct &conduct);
	void welcome(const Conduct &conduct);
	void accept_data(const Conduct &conduct);
	void serve(const Conduct &conduct);
	bool take_control();
	Secret answer_mac(const char *label, Bytes rec) const;
	void take_data(const Conduct &conduct);
	void wait_closed();

	Listener &listener_;
	Bytes key_;
	std::unique_ptr<Link> control_;
	std::vector<DataLink> data_;
	size_t at_ = 0; // in data_
	cw_wire_hello wire_hello_{};
	cw_hello hello_{};
	Bytes request_, acceptance_; // private data of the control link
	Bytes transcript_; // T
	Bytes proof_; // as it came; empty before
	u64 features_ = 0;
	u16 queues_ = 0;
};

// The private data of an honest acceptance; that of a control link has another nonce each time.
Bytes accept_words(u8 kind, u16 index = 0);

} // namespace peer

#endif

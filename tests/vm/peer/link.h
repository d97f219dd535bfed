// SPDX-License-Identifier: GPL-2.0-or-later
// A connected queue pair of either side, which sends whatever it is given.
#ifndef PEER_LINK_H
#define PEER_LINK_H

#include <netinet/in.h>
#include <rdma/rdma_cma.h>

#include <array>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "include/wire/causeway_parse.h"

namespace peer
{

using Bytes = std::vector<u8>;

template <class T> Bytes raw(const T &t)
{
	const auto *p = reinterpret_cast<const u8 *>(&t);
	return {p, p + sizeof(t)};
}

// How the server ended an attempt: what a case reports.
struct Ended : std::runtime_error {
	using runtime_error::runtime_error;
};

// Something that is no answer of a server: no device, no answer in time, an answer that breaks the
// protocol.
struct Failure : std::runtime_error {
	using runtime_error::runtime_error;
};

struct Close {
	void operator()(rdma_event_channel *channel) const
	{
		rdma_destroy_event_channel(channel);
	}
	void operator()(rdma_cm_id *id) const
	{
		rdma_destroy_id(id);
	}
	void operator()(ibv_comp_channel *channel) const
	{
		ibv_destroy_comp_channel(channel);
	}
	void operator()(ibv_cq *cq) const
	{
		ibv_destroy_cq(cq);
	}
	void operator()(ibv_mr *mr) const
	{
		ibv_dereg_mr(mr);
	}
	void operator()(ibv_mw *mw) const
	{
		ibv_dealloc_mw(mw);
	}
};
template <class T> using Handle = std::unique_ptr<T, Close>;

// How many messages a link has memory for: 5 KiB for each that it receives, 68 for each that it
// sends. With fewer receives than it needs, the peer's sends wait.
struct Rings {
	int receives = 64, sends = 64;
	u8 reads = 8; // RDMA READs of the peer at once. With 0 a peer that is rxe never sends one.
};
// The rings of a link of a crowd are small, because a machine has no memory for many large ones.
constexpr Rings SMALL = {16, 4};

class Link
{
      public:
	static constexpr int RECEIVES = 64;

	// Connects with this private data. Throws Ended when the server rejects it.
	Link(const sockaddr_in &server, const Bytes &request, Rings rings = {});
	// Accepts a client's request with this private data.
	Link(Handle<rdma_cm_id> request, const Bytes &acceptance);
	~Link();
	Link(const Link &) = delete;
	Link &operator=(const Link &) = delete;

	// One message as it is; waits for a place in the ring. Nothing happens on a closed link.
	void send(const Bytes &message);
	void send_invalidate(const Bytes &message, u32 rkey);
	void send_immediate(const Bytes &message, u32 imm);
	void rdma(ibv_wr_opcode opcode, u64 addr, u32 rkey, u32 len);
	// Writes to the memory that the peer registered, or reads it and waits for the data.
	void write_to(u64 addr, u32 rkey, const Bytes &data);
	// Writes, and waits for the result. On a closed link: IBV_WC_WR_FLUSH_ERR.
	ibv_wc_status result_of_write(u64 addr, u32 rkey, const Bytes &data);
	Bytes read_from(u64 addr, u32 rkey, u32 len);

	// The next message; none: the server closed the connection.
	std::optional<Bytes> receive();
	// Returns true if the peer closed the link. Does not wait.
	bool closed();
	// Returns true if a message is there, or the peer closed the link. Does not wait.
	bool ready();
	// Waits until one of them is ready, or one of the descriptors has input. Throws Failure when
	// none gets so.
	static void wait_any(const std::vector<Link *> &links,
			     std::initializer_list<int> inputs = {});
	// Receives that messages take are not posted again until they are released: when none is
	// left, the peer's next message waits at its own end.
	void hold_receives();
	void release_receives();
	bool holds_receives() const
	{
		return holds_receives_;
	}
	size_t receives_left() const
	{
		return size_t(rings_.receives) - held_receives_.size();
	}
	void disconnect();
	// Waits for that. Messages that come first are thrown away.
	void wait_closed();

	// Registers memory for the server until it invalidates the key that this returns. The key is
	// of a window, because an adapter may refuse to invalidate a whole region.
	u32 register_memory(Bytes &memory);

	// The private data with which the server accepted, as it came: padded by the connection
	// manager.
	const Bytes &acceptance() const
	{
		return acceptance_;
	}

	u32 ordinal = 0; // of the next message

      private:
	using Deadline = std::chrono::steady_clock::time_point;

	rdma_event_channel *expect(rdma_cm_event_type type);
	void prepare();
	void make_queue_pair();
	void connect(const Bytes &request);
	void post_receive(int i);
	int post_send(ibv_send_wr &wr, const Bytes &message);
	void wait_sent(int i);
	void arm();
	void acknowledge();
	bool drain();
	void pump(Deadline deadline);
	void take_cm_event();
	void take_completion(const ibv_wc &wc);

	Handle<rdma_event_channel> channel_;
	Handle<rdma_cm_id> id_;
	Handle<ibv_comp_channel> completions_;
	Handle<ibv_cq> cq_;
	Rings rings_;
	Bytes receive_memory_, send_memory_;
	Handle<ibv_mr> receive_mr_, send_mr_;
	std::vector<Handle<ibv_mr>> regions_;
	std::vector<Handle<ibv_mw>> windows_;
	std::vector<int> free_sends_;
	std::vector<ibv_wc_status> results_; // of the last send from each place in the ring
	std::deque<Bytes> received_;
	std::vector<int> held_receives_;
	bool holds_receives_ = false;
	bool closed_ = false;
	Bytes acceptance_;
};

} // namespace peer

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
#include "link.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "names.h"

namespace peer
{

namespace
{

using namespace std::chrono_literals;

// Long enough for an emulated machine with a debug kernel, and for the server's own timeouts.
constexpr auto PATIENCE = 60s;
constexpr int RESOLVE_MS = 60000;
constexpr size_t RECEIVE_SIZE = CW_WIRE_PAGE + CW_WIRE_TRAILER;
constexpr size_t SEND_SIZE = 17 * CW_WIRE_PAGE;
constexpr u64 SEND_ID = 1 << 16;

[[noreturn]] void fail(const char *what)
{
	throw Failure(std::string(what) + ": " + strerror(errno));
}

void check(int ret, const char *what)
{
	if (ret)
		fail(what);
}

template <class T> T *check(T *made, const char *what)
{
	if (!made)
		fail(what);
	return made;
}

std::string rejection(const rdma_cm_event &event)
{
	cw_rej rej;
	if (cw_parse_rej(event.param.conn.private_data, event.param.conn.private_data_len, &rej))
		return "rejected without a reason, status " + std::to_string(event.status);
	return "rejected: " + refusal_name(rej.reason) + ", versions " +
	       std::to_string(rej.version_min) + " to " + std::to_string(rej.version_max);
}

rdma_conn_param parameters(const Bytes &private_data, u8 reads)
{
	rdma_conn_param param{};
	param.private_data = private_data.data();
	param.private_data_len = u8(private_data.size());
	param.responder_resources = reads;
	param.initiator_depth = 8;
	param.retry_count = 7;
	param.rnr_retry_count = 7;
	return param;
}

} // namespace

Link::Link(const sockaddr_in &server, const Bytes &request, Rings rings)
    : channel_(check(rdma_create_event_channel(), "rdma_create_event_channel")),
      rings_(rings), receive_memory_(size_t(std::max(rings.receives, 1)) * RECEIVE_SIZE),
      send_memory_(size_t(rings.sends) * SEND_SIZE)
{
	rdma_cm_id *id;
	check(rdma_create_id(channel_.get(), &id, this, RDMA_PS_TCP), "rdma_create_id");
	id_.reset(id);
	sockaddr_in to = server;
	check(rdma_resolve_addr(id, nullptr, reinterpret_cast<sockaddr *>(&to), RESOLVE_MS),
	      "rdma_resolve_addr");
	expect(RDMA_CM_EVENT_ADDR_RESOLVED);
	check(rdma_resolve_route(id, RESOLVE_MS), "rdma_resolve_route");
	expect(RDMA_CM_EVENT_ROUTE_RESOLVED);
	prepare();
	try {
		connect(request);
	} catch (...) {
		rdma_destroy_qp(id);
		throw;
	}
}

Link::Link(Handle<rdma_cm_id> request, const Bytes &acceptance)
    : channel_(check(rdma_create_event_channel(), "rdma_create_event_channel")),
      id_(std::move(request)), receive_memory_(size_t(rings_.receives) * RECEIVE_SIZE),
      send_memory_(size_t(rings_.sends) * SEND_SIZE)
{
	check(rdma_migrate_id(id_.get(), channel_.get()), "rdma_migrate_id");
	prepare();
	try {
		rdma_conn_param param = parameters(acceptance, rings_.reads);
		check(rdma_accept(id_.get(), &param), "rdma_accept");
		expect(RDMA_CM_EVENT_ESTABLISHED);
	} catch (...) {
		rdma_destroy_qp(id_.get());
		throw;
	}
}

// A queue pair with its receives.
void Link::prepare()
{
	make_queue_pair();
	for (int i = 0; i < rings_.receives; i++)
		post_receive(i);
	for (int i = 0; i < rings_.sends; i++)
		free_sends_.push_back(i);
	results_.resize(size_t(rings_.sends), IBV_WC_WR_FLUSH_ERR);
}

Link::~Link()
{
	rdma_disconnect(id_.get());
	windows_.clear(); // rxe lets go of a queue pair only when nothing is bound to it
	rdma_destroy_qp(id_.get());
}

void Link::make_queue_pair()
{
	const int receives = std::max(rings_.receives, 1);
	completions_.reset(check(ibv_create_comp_channel(id_->verbs), "ibv_create_comp_channel"));
	cq_.reset(check(ibv_create_cq(id_->verbs, receives + rings_.sends, nullptr, completions_.get(), 0),
			"ibv_create_cq"));
	ibv_qp_init_attr attr{};
	attr.qp_type = IBV_QPT_RC;
	attr.send_cq = cq_.get();
	attr.recv_cq = cq_.get();
	attr.cap = {u32(rings_.sends), u32(receives), 1, 1, 0};
	attr.sq_sig_all = 1;
	check(rdma_create_qp(id_.get(), nullptr, &attr), "rdma_create_qp");
	receive_mr_.reset(check(ibv_reg_mr(id_->pd, receive_memory_.data(), receive_memory_.size(),
					   IBV_ACCESS_LOCAL_WRITE),
				"ibv_reg_mr"));
	send_mr_.reset(check(ibv_reg_mr(id_->pd, send_memory_.data(), send_memory_.size(),
					IBV_ACCESS_LOCAL_WRITE),
			     "ibv_reg_mr"));
}

// Waits for the next event of the connection manager, which must be this one.
rdma_event_channel *Link::expect(rdma_cm_event_type type)
{
	pollfd fd{channel_->fd, POLLIN, 0};
	if (poll(&fd, 1, int(std::chrono::milliseconds(PATIENCE).count())) != 1)
		throw Failure(std::string("timed out waiting for ") + rdma_event_str(type));
	rdma_cm_event *event;
	check(rdma_get_cm_event(channel_.get(), &event), "rdma_get_cm_event");
	std::string rejected;
	if (event->event == RDMA_CM_EVENT_REJECTED)
		rejected = rejection(*event);
	const auto words = static_cast<const u8 *>(event->param.conn.private_data);
	if (event->event == RDMA_CM_EVENT_ESTABLISHED && words)
		acceptance_.assign(words, words + event->param.conn.private_data_len);
	const rdma_cm_event_type got = event->event;
	rdma_ack_cm_event(event);
	if (!rejected.empty())
		throw Ended(rejected);
	if (got != type)
		throw Failure(std::string(rdma_event_str(got)) + " instead of " +
			      rdma_event_str(type));
	return channel_.get();
}

void Link::connect(const Bytes &request)
{
	rdma_conn_param param = parameters(request, rings_.reads);
	check(rdma_connect(id_.get(), &param), "rdma_connect");
	expect(RDMA_CM_EVENT_ESTABLISHED);
}

void Link::post_receive(int i)
{
	ibv_sge sge{reinterpret_cast<u64>(receive_memory_.data()) + size_t(i) * RECEIVE_SIZE,
		    u32(RECEIVE_SIZE), receive_mr_->lkey};
	ibv_recv_wr wr{}, *bad;
	wr.wr_id = u64(i);
	wr.sg_list = &sge;
	wr.num_sge = 1;
	if (ibv_post_recv(id_->qp, &wr, &bad) && !closed_)
		fail("ibv_post_recv");
}

// The place in the ring that it is sent from; -1 on a closed link.
int Link::post_send(ibv_send_wr &wr, const Bytes &message)
{
	const Deadline deadline = std::chrono::steady_clock::now() + PATIENCE;
	while (free_sends_.empty() && !closed_)
		pump(deadline);
	if (closed_)
		return -1;
	const int i = free_sends_.back();
	free_sends_.pop_back();
	u8 *memory = send_memory_.data() + size_t(i) * SEND_SIZE;
	if (message.size() > SEND_SIZE)
		throw Failure("a message of " + std::to_string(message.size()) + " bytes");
	if (!message.empty())
		memcpy(memory, message.data(), message.size());
	ibv_sge sge{reinterpret_cast<u64>(memory), u32(message.size()), send_mr_->lkey};
	ibv_send_wr *bad;
	wr.wr_id = SEND_ID + u64(i);
	results_[size_t(i)] = IBV_WC_WR_FLUSH_ERR;
	wr.sg_list = &sge;
	wr.num_sge = message.empty() ? 0 : 1;
	/* A queue pair in error refuses; that the server closed it is told by the events. */
	ibv_post_send(id_->qp, &wr, &bad);
	return i;
}

void Link::send(const Bytes &message)
{
	ibv_send_wr wr{};
	wr.opcode = IBV_WR_SEND;
	post_send(wr, message);
}

void Link::send_invalidate(const Bytes &message, u32 rkey)
{
	ibv_send_wr wr{};
	wr.opcode = IBV_WR_SEND_WITH_INV;
	wr.invalidate_rkey = rkey;
	post_send(wr, message);
}

void Link::send_immediate(const Bytes &message, u32 imm)
{
	ibv_send_wr wr{};
	wr.opcode = IBV_WR_SEND_WITH_IMM;
	wr.imm_data = htonl(imm);
	post_send(wr, message);
}

void Link::rdma(ibv_wr_opcode opcode, u64 addr, u32 rkey, u32 len)
{
	ibv_send_wr wr{};
	wr.opcode = opcode;
	wr.wr.rdma.remote_addr = addr;
	wr.wr.rdma.rkey = rkey;
	post_send(wr, Bytes(len, 0xee));
}

// Waits until the send from this place in the ring has completed, or the link is closed.
void Link::wait_sent(int i)
{
	const Deadline deadline = std::chrono::steady_clock::now() + PATIENCE;
	while (!closed_ && std::find(free_sends_.begin(), free_sends_.end(), i) == free_sends_.end())
		pump(deadline);
}

void Link::write_to(u64 addr, u32 rkey, const Bytes &data)
{
	ibv_send_wr wr{};
	wr.opcode = IBV_WR_RDMA_WRITE;
	wr.wr.rdma.remote_addr = addr;
	wr.wr.rdma.rkey = rkey;
	post_send(wr, data);
}

ibv_wc_status Link::result_of_write(u64 addr, u32 rkey, const Bytes &data)
{
	ibv_send_wr wr{};
	wr.opcode = IBV_WR_RDMA_WRITE;
	wr.wr.rdma.remote_addr = addr;
	wr.wr.rdma.rkey = rkey;
	const int i = post_send(wr, data);
	if (i < 0)
		return IBV_WC_WR_FLUSH_ERR;
	wait_sent(i);
	return results_[size_t(i)];
}

Bytes Link::read_from(u64 addr, u32 rkey, u32 len)
{
	ibv_send_wr wr{};
	wr.opcode = IBV_WR_RDMA_READ;
	wr.wr.rdma.remote_addr = addr;
	wr.wr.rdma.rkey = rkey;
	const int i = post_send(wr, Bytes(len));
	wait_sent(i);
	if (closed_)
		throw Ended("closed");
	const u8 *memory = send_memory_.data() + size_t(i) * SEND_SIZE;
	return {memory, memory + len};
}

u32 Link::register_memory(Bytes &memory)
{
	constexpr unsigned REMOTE = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	ibv_device_attr device;
	check(ibv_query_device(id_->verbs, &device), "ibv_query_device");
	ibv_mr *mr = check(ibv_reg_mr(id_->pd, memory.data(), memory.size(),
				      REMOTE | IBV_ACCESS_LOCAL_WRITE |
					      (device.max_mw ? IBV_ACCESS_MW_BIND : 0)),
			   "ibv_reg_mr");
	regions_.emplace_back(mr);
	if (!device.max_mw) // siw
		return mr->rkey;
	ibv_mw *mw = check(ibv_alloc_mw(id_->pd, IBV_MW_TYPE_2), "ibv_alloc_mw");
	windows_.emplace_back(mw);
	ibv_send_wr wr{};
	wr.opcode = IBV_WR_BIND_MW;
	wr.bind_mw.mw = mw;
	wr.bind_mw.rkey = ibv_inc_rkey(mw->rkey);
	wr.bind_mw.bind_info = {mr, reinterpret_cast<u64>(memory.data()), memory.size(), REMOTE};
	/* When rxe of Linux 6.1 sends again, it also binds again, which fails, unless that is done. */
	wait_sent(post_send(wr, {}));
	return wr.bind_mw.rkey;
}

void Link::take_cm_event()
{
	rdma_cm_event *event;
	check(rdma_get_cm_event(channel_.get(), &event), "rdma_get_cm_event");
	/* A server that gives up before it has our last word of the set-up rejects. */
	closed_ |= event->event == RDMA_CM_EVENT_DISCONNECTED ||
		   event->event == RDMA_CM_EVENT_REJECTED ||
		   event->event == RDMA_CM_EVENT_DEVICE_REMOVAL;
	rdma_ack_cm_event(event);
}

void Link::take_completion(const ibv_wc &wc)
{
	if (wc.wr_id >= SEND_ID) {
		free_sends_.push_back(int(wc.wr_id - SEND_ID));
		results_[wc.wr_id - SEND_ID] = wc.status;
		return;
	}
	/* After an error only the end can come, and that is an event. */
	if (wc.status != IBV_WC_SUCCESS)
		return;
	const u8 *at = receive_memory_.data() + wc.wr_id * RECEIVE_SIZE;
	received_.emplace_back(at, at + wc.byte_len);
	if (holds_receives_)
		held_receives_.push_back(int(wc.wr_id));
	else
		post_receive(int(wc.wr_id));
}

// Takes what is there; whether there was anything. A message that came before the end of the
// connection has completed when that event is there, so the events come first.
bool Link::drain()
{
	ibv_wc wc[16];
	bool any = false;
	int n;
	pollfd fd{channel_->fd, POLLIN, 0};
	while (poll(&fd, 1, 0) == 1) {
		take_cm_event();
		any = true;
	}
	while ((n = ibv_poll_cq(cq_.get(), 16, wc)) > 0) {
		any = true;
		for (int i = 0; i < n; i++)
			take_completion(wc[i]);
	}
	return any;
}

// Waits until something happened.
void Link::pump(Deadline deadline)
{
	if (drain())
		return;
	arm();
	if (drain())
		return;
	pollfd fds[2] = {{channel_->fd, POLLIN, 0}, {completions_->fd, POLLIN, 0}};
	const auto left = deadline - std::chrono::steady_clock::now();
	const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(left).count();
	if (ms <= 0 || poll(fds, 2, int(ms)) == 0)
		throw Failure("the server neither answers nor closes the connection");
	if (fds[1].revents)
		acknowledge();
	drain();
}

void Link::arm()
{
	check(ibv_req_notify_cq(cq_.get(), 0), "ibv_req_notify_cq");
}

void Link::acknowledge()
{
	ibv_cq *cq;
	void *context;
	check(ibv_get_cq_event(completions_.get(), &cq, &context), "ibv_get_cq_event");
	ibv_ack_cq_events(cq, 1);
}

bool Link::ready()
{
	drain();
	return closed_ || !received_.empty();
}

void Link::wait_any(const std::vector<Link *> &links, std::initializer_list<int> inputs)
{
	const auto has_input = [](int input) {
		pollfd fd{input, POLLIN, 0};
		return poll(&fd, 1, 0) == 1;
	};
	const auto any = [&] {
		return std::any_of(links.begin(), links.end(),
				   [](Link *link) { return link->ready(); }) ||
		       std::any_of(inputs.begin(), inputs.end(), has_input);
	};
	const Deadline deadline = std::chrono::steady_clock::now() + PATIENCE;
	while (!any()) {
		std::vector<pollfd> fds;
		for (Link *link : links) {
			link->arm();
			fds.push_back({link->channel_->fd, POLLIN, 0});
			fds.push_back({link->completions_->fd, POLLIN, 0});
		}
		for (const int input : inputs)
			fds.push_back({input, POLLIN, 0});
		if (any())
			return;
		const auto left = deadline - std::chrono::steady_clock::now();
		const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(left).count();
		if (ms <= 0 || poll(fds.data(), fds.size(), int(ms)) == 0)
			throw Failure("the client neither sends nor closes the connection");
		size_t i = 1;
		for (Link *link : links) {
			if (fds[i].revents)
				link->acknowledge();
			i += 2;
		}
	}
}

void Link::hold_receives()
{
	holds_receives_ = true;
}

void Link::release_receives()
{
	holds_receives_ = false;
	for (const int i : held_receives_)
		post_receive(i);
	held_receives_.clear();
}

void Link::disconnect()
{
	rdma_disconnect(id_.get());
}

std::optional<Bytes> Link::receive()
{
	const Deadline deadline = std::chrono::steady_clock::now() + PATIENCE;
	while (received_.empty() && !closed_)
		pump(deadline);
	if (received_.empty())
		return std::nullopt;
	Bytes message = std::move(received_.front());
	received_.pop_front();
	return message;
}

bool Link::closed()
{
	drain();
	return closed_;
}

void Link::wait_closed()
{
	while (receive())
		;
}

} // namespace peer

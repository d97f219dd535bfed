// SPDX-License-Identifier: GPL-2.0-or-later
#include "listener.h"

#include <poll.h>

#include <cerrno>
#include <cstring>

namespace peer
{

namespace
{

constexpr int BACKLOG = 16;

void check(bool good, const char *what)
{
	if (!good)
		throw Failure(std::string(what) + ": " + strerror(errno));
}

} // namespace

Listener::Listener(u16 port) : channel_(rdma_create_event_channel())
{
	check(bool(channel_), "rdma_create_event_channel");
	rdma_cm_id *id;
	check(!rdma_create_id(channel_.get(), &id, this, RDMA_PS_TCP), "rdma_create_id");
	id_.reset(id);
	sockaddr_in any{};
	any.sin_family = AF_INET;
	any.sin_port = htons(port);
	check(!rdma_bind_addr(id, reinterpret_cast<sockaddr *>(&any)), "rdma_bind_addr");
	check(!rdma_listen(id, BACKLOG), "rdma_listen");
}

void Listener::take()
{
	rdma_cm_event *event;
	check(!rdma_get_cm_event(channel_.get(), &event), "rdma_get_cm_event");
	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
		const auto *words = static_cast<const u8 *>(event->param.conn.private_data);
		Request request{Handle<rdma_cm_id>(event->id), {}};
		if (words)
			request.words.assign(words, words + event->param.conn.private_data_len);
		requests_.push_back(std::move(request));
	}
	rdma_ack_cm_event(event);
}

bool Listener::ready()
{
	pollfd fd{channel_->fd, POLLIN, 0};
	while (poll(&fd, 1, 0) == 1)
		take();
	return !requests_.empty();
}

void Listener::wait(std::chrono::milliseconds limit)
{
	pollfd fd{channel_->fd, POLLIN, 0};
	poll(&fd, 1, int(limit.count()));
}

Request Listener::next(std::chrono::milliseconds limit)
{
	const auto deadline = std::chrono::steady_clock::now() + limit;
	while (requests_.empty()) {
		const auto left = deadline - std::chrono::steady_clock::now();
		const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(left).count();
		pollfd fd{channel_->fd, POLLIN, 0};
		if (ms <= 0 || poll(&fd, 1, int(ms)) == 0)
			throw Failure("no client connects");
		take();
	}
	Request request = std::move(requests_.front());
	requests_.pop_front();
	return request;
}

void Listener::reject(Request request, const Bytes &words)
{
	rdma_reject(request.id.get(), words.data(), u8(words.size()));
}

} // namespace peer

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connection requests over TCP.
 *
 * A connection that was accepted is a guest until its REQUEST has arrived: it has a small struct
 * and a deadline, and its source address may have a few of them. No byte behind the REQUEST is
 * read. Then the connection becomes a link, or is rejected and aborted.
 *
 * An honest REQUEST comes within a round trip. So where there are too many guests, the next
 * connection waits in the backlog of its listener until the guest that has waited longest is gone.
 * Guests of known addresses go last.
 */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "../../../../include/wire/causeway_tcp.h"
#include "../../address/same_ip.h"
#include "../../link/tcp/connect.h"
#include "incoming.h"
#include "session.h"
#include "source.h"

#define CW_GUESTS_BACKLOG 128
#define CW_REJECTION_MS 1000 /* for a client's TCP to acknowledge a rejection */

static unsigned int tcp_guests = 256;
module_param(tcp_guests, uint, 0644);
MODULE_PARM_DESC(tcp_guests, "TCP connections whose request has not arrived, of all addresses");
static unsigned int tcp_guests_host = 64;
module_param(tcp_guests_host, uint, 0644);
MODULE_PARM_DESC(tcp_guests_host, "TCP connections of one address whose request has not arrived");
static unsigned int tcp_request_ms = 10000;
module_param(tcp_request_ms, uint, 0644);
MODULE_PARM_DESC(tcp_request_ms, "milliseconds that the request of a TCP connection may take");

/* A connection without a link. */
struct cw_guest {
	struct cw_incoming in;
	struct socket *sock;
	struct sockaddr_storage local, peer;
	/* Callbacks that @sock had before. */
	void (*data_ready)(struct sock *sk);
	void (*state_change)(struct sock *sk);
	struct list_head entry; /* of cw_guests */
	struct delayed_work work; /* reads; at the deadline, closes */
	bool known; /* its address has or had a session */
	bool expelled; /* to be closed, for another guest */
	bool rejected; /* it stays until the client's TCP has acknowledged the rejection */
	unsigned long deadline; /* jiffies */
	struct cw_tcp_stream stream;
	u32 have; /* bytes of the request */
	u8 bytes[CW_WIRE_TCP_SETUP_MAX];
	struct cw_wire_req wire;
};

static struct workqueue_struct *cw_guest_wq;
static struct socket *cw_tcp_v4, *cw_tcp_v6;
static struct work_struct cw_accept_work;
static void (*cw_tcp_data_ready)(struct sock *sk); /* of a socket that is none of the listeners */
/* Guards the guests and closing. */
static DEFINE_MUTEX(cw_guest_lock);
static LIST_HEAD(cw_guests);
static unsigned int cw_guest_count;
static bool cw_guest_closing;
static DECLARE_WAIT_QUEUE_HEAD(cw_guests_gone);

/* ---- a guest ---- */

static void cw_guest_call(struct sock *sk)
{
	struct cw_guest *guest;

	read_lock_bh(&sk->sk_callback_lock);
	guest = sk->sk_user_data;
	if (guest)
		mod_delayed_work(cw_guest_wq, &guest->work, 0);
	read_unlock_bh(&sk->sk_callback_lock);
}

/*
 * From here on the work of the guest may free it, so the first call comes under the lock, which the
 * work takes before. A child has the callbacks of its listener.
 */
static void cw_guest_begin(struct cw_guest *guest)
{
	struct sock *sk = guest->sock->sk;

	write_lock_bh(&sk->sk_callback_lock);
	guest->data_ready = cw_tcp_data_ready;
	guest->state_change = sk->sk_state_change;
	sk->sk_user_data = guest;
	sk->sk_data_ready = cw_guest_call;
	sk->sk_state_change = cw_guest_call;
	mod_delayed_work(cw_guest_wq, &guest->work, 0); /* bytes may have come before */
	write_unlock_bh(&sk->sk_callback_lock);
}

/* Afterwards no callback calls the work. It may have been called just before. */
static void cw_guest_end(struct cw_guest *guest)
{
	struct sock *sk = guest->sock->sk;

	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_user_data = NULL;
	sk->sk_data_ready = guest->data_ready;
	sk->sk_state_change = guest->state_change;
	write_unlock_bh(&sk->sk_callback_lock);
	cancel_delayed_work(&guest->work);
}

/*
 * tcp_close() stops the timers of a kernel's socket. So a close in order would leave a socket for
 * ever where a client does not acknowledge the FIN.
 */
static void cw_guest_abort(struct socket *sock)
{
	sock_no_linger(sock->sk);
	sock_release(sock);
}

/* Reads up to @len bytes. Returns their number, -EAGAIN, or another error; 0 is the end. */
static int cw_guest_read(struct cw_guest *guest, void *to, size_t len)
{
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT };
	struct kvec vec = { to, len };

	return kernel_recvmsg(guest->sock, &msg, &vec, 1, len, MSG_DONTWAIT);
}

/* The end of this side is not acknowledged yet. */
static bool cw_guest_is_closing(const struct cw_guest *guest)
{
	u8 state = READ_ONCE(guest->sock->sk->sk_state);

	return (1 << state) & (TCPF_FIN_WAIT1 | TCPF_CLOSING | TCPF_LAST_ACK);
}

/* 0: the request is complete. -EAGAIN: the guest waits. */
static int cw_guest_take(struct cw_guest *guest)
{
	struct cw_tcp_stream *stream = &guest->stream;
	u8 header[sizeof(struct cw_wire_tcp)];
	int ret;

	if (guest->rejected)
		return cw_guest_is_closing(guest) ? -EAGAIN : -ECONNREFUSED;
	while (!cw_tcp_in_frame(stream)) {
		ret = cw_guest_read(guest, header, sizeof(header) - stream->have);
		if (ret <= 0)
			return ret ?: -ECONNRESET;
		ret = cw_tcp_take_header(stream, header, ret, cw_link_tcp_crc32c);
		if (ret < 0)
			return ret;
	}
	while (stream->left) {
		ret = cw_guest_read(guest, guest->bytes + guest->have, stream->left);
		if (ret <= 0)
			return ret ?: -ECONNRESET;
		guest->have += ret;
		stream->left -= ret;
	}
	return cw_link_tcp_crc32c(guest->bytes, guest->have) == stream->frame.data_crc ? 0 :
											 -EPROTO;
}

static void cw_guest_reject(struct cw_guest *guest, u16 reason)
{
	struct cw_tcp_frame frame = { .kind = CW_TCP_REJECTION, .len = sizeof(struct cw_wire_rej) };
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL };
	struct {
		struct cw_wire_tcp header;
		struct cw_wire_rej rej;
	} wire;
	struct kvec vec = { &wire, sizeof(wire) };

	cw_pack_rej(&wire.rej, reason);
	frame.data_crc = cw_link_tcp_crc32c(&wire.rej, sizeof(wire.rej));
	cw_pack_tcp(&wire.header, &frame, 0, cw_link_tcp_crc32c);
	kernel_sendmsg(guest->sock, &msg, &vec, 1, sizeof(wire));
	kernel_sock_shutdown(guest->sock, SHUT_WR);
	guest->rejected = true;
	guest->deadline = jiffies + msecs_to_jiffies(CW_REJECTION_MS);
}

static struct cw_link *cw_guest_adopt(struct cw_incoming *in, const struct cw_link_config *config)
{
	return cw_link_tcp_adopt(config, container_of(in, struct cw_guest, in)->sock);
}

static int cw_guest_accept(struct cw_incoming *in, struct cw_link *link,
			   const struct cw_wire_rep *rep)
{
	cw_link_tcp_accept(link, rep);
	return 0;
}

static bool cw_guest_is_beside(const struct cw_incoming *in, struct cw_link *control)
{
	const struct cw_guest *guest = container_of(in, struct cw_guest, in);

	return cw_link_transport(control) == CW_TRANSPORT_TCP &&
	       cw_link_tcp_same_ends(control, &guest->local, &guest->peer);
}

static const struct cw_incoming_ops cw_guest_ops = {
	.making = "allocating a link",
	.adopt = cw_guest_adopt,
	.disown = cw_link_tcp_disown,
	.accept = cw_guest_accept,
	.is_beside = cw_guest_is_beside,
};

/* Returns true if the socket belongs to a link now. */
static bool cw_guest_judge(struct cw_guest *guest)
{
	struct cw_req req;
	u16 refusal;
	int ret;

	ret = cw_parse_tcp_req(guest->bytes, guest->have, &req);
	if (ret == -EPROTONOSUPPORT) {
		cw_incoming_say_version(&guest->in, guest->bytes, guest->have);
		refusal = CW_REFUSED_VERSION;
	} else if (ret) {
		refusal = CW_REFUSED_MALFORMED;
	} else {
		memcpy(&guest->wire, guest->bytes, sizeof(guest->wire));
		refusal = cw_incoming_judge(&guest->in, &req);
	}
	if (refusal)
		cw_guest_reject(guest, refusal);
	return !refusal;
}

static void cw_guest_leave(struct cw_guest *guest)
{
	mutex_lock(&cw_guest_lock);
	list_del(&guest->entry);
	cancel_delayed_work(&guest->work); /* cw_listener_tcp_stop() may have called it */
	if (!--cw_guest_count)
		wake_up_all(&cw_guests_gone);
	if (!cw_guest_closing)
		queue_work(cw_guest_wq, &cw_accept_work); /* a connection may wait for room */
	mutex_unlock(&cw_guest_lock);
	kfree(guest);
}

static void cw_guest_work(struct work_struct *work)
{
	struct cw_guest *guest = container_of(to_delayed_work(work), struct cw_guest, work);
	unsigned int noio = memalloc_noio_save();
	bool kept = false;
	int ret;

	ret = READ_ONCE(cw_guest_closing) ? -ESHUTDOWN : cw_guest_take(guest);
	if (ret == -EAGAIN && READ_ONCE(guest->expelled))
		ret = -ECONNABORTED;
	if (ret == -EAGAIN && time_before(jiffies, guest->deadline)) {
		queue_delayed_work(cw_guest_wq, &guest->work, guest->deadline - jiffies);
		goto out;
	}
	cw_guest_end(guest);
	if (!ret)
		kept = cw_guest_judge(guest);
	if (!ret && guest->rejected) {
		cw_guest_begin(guest); /* it waits again, for the client's TCP */
		goto out;
	}
	if (!kept)
		cw_guest_abort(guest->sock);
	cw_guest_leave(guest);
out:
	memalloc_noio_restore(noio);
}

/* ---- the listeners ---- */

/* Counts a guest in the limit of its address. */
static bool cw_guest_enter(struct cw_guest *guest)
{
	const struct cw_guest *other;
	unsigned int of_host = 0;
	bool room;

	guest->known = cw_source_knows(&guest->peer);
	mutex_lock(&cw_guest_lock);
	list_for_each_entry(other, &cw_guests, entry)
		of_host += cw_same_ip(&other->peer, &guest->peer);
	room = !cw_guest_closing && of_host < READ_ONCE(tcp_guests_host);
	if (room) {
		list_add_tail(&guest->entry, &cw_guests);
		cw_guest_count++;
	}
	mutex_unlock(&cw_guest_lock);
	if (!room)
		cw_server_limit(CW_LIMIT_STRANGERS);
	return room;
}

static void cw_guest_make(struct socket *sock)
{
	struct cw_guest *guest = kzalloc(sizeof(*guest), GFP_KERNEL);

	if (!guest) {
		cw_guest_abort(sock);
		return;
	}
	guest->in = (struct cw_incoming) { &cw_guest_ops, &guest->peer, &guest->wire };
	guest->sock = sock;
	guest->stream.to_server = true;
	guest->deadline = jiffies + msecs_to_jiffies(READ_ONCE(tcp_request_ms));
	INIT_DELAYED_WORK(&guest->work, cw_guest_work);
	if (kernel_getsockname(sock, (struct sockaddr *)&guest->local) < 0 ||
	    kernel_getpeername(sock, (struct sockaddr *)&guest->peer) < 0 ||
	    !cw_guest_enter(guest)) {
		cw_guest_abort(sock);
		kfree(guest);
		return;
	}
	cw_link_tcp_set_options(sock);
	cw_guest_begin(guest);
}

/* Closes the guest that has waited longest, those of unknown addresses first. */
static void cw_guest_expel_oldest(void)
{
	struct cw_guest *guest, *oldest = NULL;

	lockdep_assert_held(&cw_guest_lock);
	list_for_each_entry(guest, &cw_guests, entry) {
		if (guest->expelled)
			return; /* its end calls the accept work */
		if (!oldest || (oldest->known && !guest->known))
			oldest = guest;
	}
	if (!oldest)
		return;
	cw_server_limit(CW_LIMIT_STRANGERS);
	WRITE_ONCE(oldest->expelled, true);
	mod_delayed_work(cw_guest_wq, &oldest->work, 0);
}

/* Returns true if one more guest may come. Otherwise the accept work is called when one is gone. */
static bool cw_guest_has_room(void)
{
	bool room;

	mutex_lock(&cw_guest_lock);
	room = cw_guest_count < max(READ_ONCE(tcp_guests), 1U);
	if (!room)
		cw_guest_expel_oldest();
	mutex_unlock(&cw_guest_lock);
	return room;
}

static void cw_listener_tcp_take(struct socket *listener)
{
	struct socket *sock;

	while (listener && !READ_ONCE(cw_guest_closing) &&
	       !reqsk_queue_empty(&inet_csk(listener->sk)->icsk_accept_queue) &&
	       cw_guest_has_room() && !kernel_accept(listener, &sock, O_NONBLOCK))
		cw_guest_make(sock);
}

static void cw_listener_tcp_accept(struct work_struct *work)
{
	unsigned int noio = memalloc_noio_save();

	cw_listener_tcp_take(cw_tcp_v4);
	cw_listener_tcp_take(cw_tcp_v6);
	memalloc_noio_restore(noio);
}

static void cw_listener_tcp_ready(struct sock *sk)
{
	/*
	 * A child has the callbacks of its listener until the guest has its own. A listener that is
	 * being closed has none any more: cw_listener_tcp_close() waits for this lock.
	 */
	read_lock_bh(&sk->sk_callback_lock);
	if (sk->sk_state == TCP_LISTEN && sk->sk_data_ready == cw_listener_tcp_ready)
		queue_work(cw_guest_wq, &cw_accept_work);
	read_unlock_bh(&sk->sk_callback_lock);
}

static int cw_listener_tcp_bind(struct sockaddr *address, int len, struct socket **listener)
{
	struct socket *sock;
	int ret;

	ret = sock_create_kern(&init_net, address->sa_family, SOCK_STREAM, IPPROTO_TCP, &sock);
	if (ret)
		return ret;
	sock_set_reuseaddr(sock->sk);
	if (address->sa_family == AF_INET6)
		sock->sk->sk_ipv6only = true;
	ret = kernel_bind(sock, (struct sockaddr_unsized *)address, len);
	if (!ret) {
		*listener = sock;
		write_lock_bh(&sock->sk->sk_callback_lock);
		cw_tcp_data_ready = sock->sk->sk_data_ready;
		sock->sk->sk_data_ready = cw_listener_tcp_ready;
		write_unlock_bh(&sock->sk->sk_callback_lock);
		ret = kernel_listen(sock, CW_GUESTS_BACKLOG);
	}
	if (ret) {
		*listener = NULL;
		sock_release(sock);
	}
	return ret;
}

int cw_listener_tcp_start(u16 port)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	int ret;

	INIT_WORK(&cw_accept_work, cw_listener_tcp_accept);
	cw_guest_closing = false;
	cw_guest_wq = alloc_workqueue("cw_guests", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!cw_guest_wq)
		return -ENOMEM;
	ret = cw_listener_tcp_bind((struct sockaddr *)&v4, sizeof(v4), &cw_tcp_v4);
	if (ret) {
		destroy_workqueue(cw_guest_wq);
		cw_guest_wq = NULL;
		return ret;
	}
	ret = cw_listener_tcp_bind((struct sockaddr *)&v6, sizeof(v6), &cw_tcp_v6);
	if (ret == -EAFNOSUPPORT || ret == -EADDRNOTAVAIL) {
		pr_info("causeway: not listening on TCP port %u of IPv6 (%d)\n", port, ret);
		ret = 0;
	}
	if (ret)
		cw_listener_tcp_stop();
	return ret;
}

static void cw_listener_tcp_close(struct socket *listener)
{
	if (!listener)
		return;
	write_lock_bh(&listener->sk->sk_callback_lock);
	listener->sk->sk_data_ready = cw_tcp_data_ready;
	write_unlock_bh(&listener->sk->sk_callback_lock);
}

void cw_listener_tcp_stop(void)
{
	struct cw_guest *guest;

	if (!cw_guest_wq)
		return;
	cw_listener_tcp_close(cw_tcp_v4);
	cw_listener_tcp_close(cw_tcp_v6);
	mutex_lock(&cw_guest_lock);
	cw_guest_closing = true; /* no guest calls the accept work from here on */
	mutex_unlock(&cw_guest_lock);
	cancel_work_sync(&cw_accept_work); /* every guest in the list has begun */
	mutex_lock(&cw_guest_lock);
	list_for_each_entry(guest, &cw_guests, entry)
		mod_delayed_work(cw_guest_wq, &guest->work, 0);
	mutex_unlock(&cw_guest_lock);
	wait_event(cw_guests_gone, !READ_ONCE(cw_guest_count));
	if (cw_tcp_v4)
		sock_release(cw_tcp_v4);
	if (cw_tcp_v6)
		sock_release(cw_tcp_v6);
	cw_tcp_v4 = NULL;
	cw_tcp_v6 = NULL;
	destroy_workqueue(cw_guest_wq);
	cw_guest_wq = NULL;
}

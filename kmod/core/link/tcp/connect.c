// SPDX-License-Identifier: GPL-2.0-only
/*
 * Links over TCP: how they are made at either end, and what their connection is.
 */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/netdevice.h>
#include <net/dst.h>
#include <net/ipv6.h>
#include <net/tcp.h>

#include "../../address/same_ip.h"
#include "connect.h"
#include "link_tcp.h"

#define CW_TCP_UNSENT (2 * CW_WIRE_TCP_DATA_MAX) /* bytes that TCP holds and has not sent */
#define CW_TCP_SYNS 3 /* repetitions: our own timeout is shorter mostly */

void cw_link_tcp_set_options(struct socket *sock)
{
	struct sock *sk = sock->sk;

	/* Memory for the data of a disk must never wait for I/O. */
	sk->sk_allocation = GFP_NOIO;
	sk->sk_use_task_frag = false;
	/* TCP sends the bytes that it has before the next message, so it gets few at a time. */
	WRITE_ONCE(tcp_sk(sk)->notsent_lowat, CW_TCP_UNSENT);
	tcp_sock_set_nodelay(sk);
}

static void cw_tcp_get_names(struct cw_link_tcp *l)
{
	struct dst_entry *dst;

	kernel_getsockname(l->sock, (struct sockaddr *)&l->local);
	kernel_getpeername(l->sock, (struct sockaddr *)&l->peer);
	dst = sk_dst_get(l->sock->sk);
	if (dst && dst->dev)
		strscpy(l->device, dst->dev->name, sizeof(l->device));
	dst_release(dst);
}

bool cw_link_tcp_same_ends(struct cw_link *link, const struct sockaddr_storage *local,
			   const struct sockaddr_storage *peer)
{
	const struct cw_link_tcp *l = to_tcp(link);

	return cw_same_ip(&l->local, local) && cw_same_ip(&l->peer, peer);
}

/* ---- client ---- */

static int cw_tcp_address_len(const struct sockaddr *address)
{
	return address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) :
						sizeof(struct sockaddr_in);
}

/* The server takes a data link from the address of the control link only. */
static int cw_tcp_bind_beside(struct cw_link_tcp *l, const struct cw_link *beside,
			      const struct sockaddr *src)
{
	struct sockaddr_storage local = {};

	if (beside)
		local = container_of(beside, struct cw_link_tcp, link)->local;
	else if (src)
		memcpy(&local, src, cw_tcp_address_len(src));
	else
		return 0;
	if (local.ss_family == AF_INET6)
		((struct sockaddr_in6 *)&local)->sin6_port = 0;
	else
		((struct sockaddr_in *)&local)->sin_port = 0;
	return kernel_bind(l->sock, (struct sockaddr_unsized *)&local,
			   cw_tcp_address_len((struct sockaddr *)&local));
}

#ifdef CONFIG_DEBUG_LOCK_ALLOC
static struct lock_class_key cw_tcp_slock_key[2], cw_tcp_lock_key[2];
#endif

/*
 * Programs fault pages in under the lock of their sockets, and such a fault may wait for a disk
 * that this socket serves. So its lock is of another class than theirs.
 */
static void cw_tcp_set_class(struct sock *sk)
{
#ifdef CONFIG_DEBUG_LOCK_ALLOC
	if (WARN_ON_ONCE(!sock_allow_reclassification(sk)))
		return;
	if (sk->sk_family == AF_INET6)
		sock_lock_init_class_and_name(sk, "slock-AF_INET6-CAUSEWAY", &cw_tcp_slock_key[1],
					      "sk_lock-AF_INET6-CAUSEWAY", &cw_tcp_lock_key[1]);
	else
		sock_lock_init_class_and_name(sk, "slock-AF_INET-CAUSEWAY", &cw_tcp_slock_key[0],
					      "sk_lock-AF_INET-CAUSEWAY", &cw_tcp_lock_key[0]);
#endif
}

static int cw_tcp_open(struct cw_link_tcp *l, struct cw_link *beside, const struct sockaddr *src,
		       const struct sockaddr *dst)
{
	struct sockaddr_storage address = {};
	int ret;

	ret = sock_create_kern(&init_net, dst->sa_family, SOCK_STREAM, IPPROTO_TCP, &l->sock);
	if (ret) {
		l->sock = NULL;
		return ret;
	}
	cw_tcp_set_class(l->sock->sk);
	cw_link_tcp_set_options(l->sock);
	sk_set_memalloc(l->sock->sk); /* the disk may be where pages are written back to */
	tcp_sock_set_syncnt(l->sock->sk, CW_TCP_SYNS);
	ret = cw_tcp_bind_beside(l, beside, src);
	if (ret) {
		cw_link_kill(&l->link, ret, "the local address cannot be used (%d)", ret);
		return ret;
	}
	memcpy(&address, dst, cw_tcp_address_len(dst));
	cw_tcp_start(l);
	ret = kernel_connect(l->sock, (struct sockaddr_unsized *)&address,
			     cw_tcp_address_len(dst), O_NONBLOCK);
	if (ret == -EINPROGRESS)
		return 0;
	if (ret)
		cw_link_kill(&l->link, ret, "connecting failed (%d)", ret);
	cw_tcp_call(l);
	return ret;
}

/* The answer to the request has come, or the link is dead. */
static bool cw_tcp_is_answered(struct cw_link_tcp *l)
{
	/* Pairs with cw_tcp_end_frame_in(). */
	return smp_load_acquire(&l->answer_kind) || cw_link_is_dead(&l->link);
}

static bool cw_tcp_has_begun(struct cw_link_tcp *l)
{
	return READ_ONCE(l->sock->sk->sk_state) != TCP_SYN_SENT || cw_tcp_is_answered(l);
}

static int cw_tcp_check_answer(struct cw_link_tcp *l, const struct cw_link_config *config,
			       struct cw_rej *rej)
{
	struct cw_req req = { .kind = config->kind, .index = config->index };
	struct cw_rep rep;

	if (l->answer_kind == CW_TCP_REJECTION) {
		cw_link_kill(&l->link, -ECONNREFUSED, "the server refused the connection");
		cw_parse_rej(l->answer, sizeof(struct cw_wire_rej), rej);
		return -ECONNREFUSED;
	}
	if (l->answer_kind == CW_TCP_ACCEPTANCE &&
	    !cw_parse_tcp_rep(l->answer, sizeof(l->answer), &req, &rep))
		return 0;
	cw_link_kill(&l->link, -EPROTO, "the server's acceptance is malformed");
	return -EPROTO;
}

static int cw_tcp_request(struct cw_link_tcp *l, const struct cw_link_config *config,
			  u32 timeout_ms, struct cw_rej *rej)
{
	u32 reach_ms = cw_link_reach_ms(config, timeout_ms);

	if (!wait_event_timeout(l->wait, cw_tcp_has_begun(l), msecs_to_jiffies(reach_ms))) {
		cw_link_kill(&l->link, -ETIMEDOUT, "connecting took longer than %u ms", reach_ms);
		return -ETIMEDOUT;
	}
	if (!wait_event_timeout(l->wait, cw_tcp_is_answered(l), msecs_to_jiffies(timeout_ms))) {
		cw_link_kill(&l->link, -ETIMEDOUT,
			     "the server did not answer the request to connect within %u ms",
			     timeout_ms);
		return -ETIMEDOUT;
	}
	/* A rejection that the server sent before it closed the connection counts. */
	if (!READ_ONCE(l->answer_kind))
		return -ECONNRESET;
	return cw_tcp_check_answer(l, config, rej);
}

static struct cw_link *cw_link_tcp_try(const struct cw_link_config *config, struct cw_link *beside,
				       const struct sockaddr *src, const struct sockaddr *dst,
				       const struct cw_wire_req *req, u32 timeout_ms, char *reason,
				       struct cw_rej *rej)
{
	struct cw_link_tcp *l = cw_link_tcp_alloc(config, false);
	int ret;

	rej->reason = CW_REFUSED_NONE;
	if (IS_ERR(l)) {
		strscpy(reason, "no memory for a link", sizeof(l->link.reason));
		return ERR_CAST(l);
	}
	memcpy(l->setup, req, sizeof(*req));
	l->setup_len = sizeof(*req);
	l->setup_kind = CW_TCP_REQUEST;
	if (config->making)
		config->making(config->owner, &l->link);
	ret = cw_tcp_open(l, beside, src, dst);
	if (!ret)
		ret = cw_tcp_request(l, config, timeout_ms, rej);
	if (!ret) {
		cw_tcp_get_names(l);
		if (config->making)
			config->making(config->owner, NULL);
		return &l->link;
	}
	cw_link_kill(&l->link, ret, "connecting failed (%d)", ret);
	/* The report of the death is over then. The owner may rely on making in it. */
	cw_link_drain(&l->link);
	if (config->making)
		config->making(config->owner, NULL);
	if (l->link.error == -EAGAIN)
		ret = -EAGAIN; /* the owner lets the attempt begin anew */
	strscpy(reason, l->link.reason, sizeof(l->link.reason));
	cw_tcp_free(&l->link);
	return ERR_PTR(ret);
}

static struct cw_link *cw_link_tcp_connect(const struct cw_link_config *config,
					   struct cw_link *beside, const struct sockaddr *src,
					   const struct sockaddr *dst,
					   const struct cw_wire_req *req, u32 timeout_ms,
					   char *reason, struct cw_rej *rej)
{
	struct cw_link *link;

	link = cw_link_tcp_try(config, beside, src, dst, req, timeout_ms, reason, rej);
	/* Once: its packets may have been lost. */
	if (IS_ERR(link) && PTR_ERR(link) == -EAGAIN)
		link = cw_link_tcp_try(config, beside, src, dst, req, timeout_ms, reason, rej);
	return link;
}

const struct cw_link_factory cw_link_tcp_factory = {
	.transport = CW_TRANSPORT_TCP,
	.connect = cw_link_tcp_connect,
};

void cw_tcp_acceptance(struct cw_link *link, struct cw_wire_rep *rep)
{
	memcpy(rep, to_tcp(link)->answer, sizeof(*rep));
}

/* ---- server ---- */

struct cw_link *cw_link_tcp_adopt(const struct cw_link_config *config, struct socket *sock)
{
	struct cw_link_tcp *l = cw_link_tcp_alloc(config, true);

	if (IS_ERR(l))
		return ERR_CAST(l);
	l->sock = sock;
	l->awaits_acceptance = true;
	l->in.stream.opened = true;
	l->in.stream.sequence = 1; /* the REQUEST was the first frame */
	cw_tcp_get_names(l);
	return &l->link;
}

void cw_link_tcp_disown(struct cw_link *link)
{
	struct cw_link_tcp *l = to_tcp(link);

	set_bit(0, &link->dead); /* dead without a report: its handler must not be called */
	l->sock = NULL;
	l->awaits_acceptance = false;
	cw_link_drain(link);
}

void cw_link_tcp_accept(struct cw_link *link, const struct cw_wire_rep *rep)
{
	struct cw_link_tcp *l = to_tcp(link);

	memcpy(l->setup, rep, sizeof(*rep));
	l->setup_len = sizeof(*rep);
	l->setup_kind = CW_TCP_ACCEPTANCE;
	cw_tcp_start(l);
	complete_all(&l->accepted); /* the link may be freed from here on */
}

/* ---- what a connection is ---- */

void cw_tcp_describe(struct cw_link *link, char device[64], u8 *port,
		     struct sockaddr_storage *local, struct sockaddr_storage *peer)
{
	const struct cw_link_tcp *l = to_tcp(link);

	strscpy(device, l->device, 64);
	*port = 0;
	*local = l->local;
	*peer = l->peer;
}

struct cw_link_caps cw_tcp_caps(struct cw_link *link)
{
	return (struct cw_link_caps) {
		.inline_size = CW_WIRE_INLINE_MAX,
		.max_io = CW_WIRE_IO_MAX,
		.node = NUMA_NO_NODE,
	};
}

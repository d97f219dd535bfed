// SPDX-License-Identifier: GPL-2.0-only
/*
 * A link over TCP: its memory, its work, its end, and the table of cw_link_ops.
 *
 * The callbacks of the socket, and every function that queues something to send, call the io work.
 * After the death of the link the io work tells the peer, and releases what was queued. Frames go
 * out in send.c and come in receive.c; memory.c has the memory of commands, connect.c the
 * connections.
 */
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <net/tcp.h>

#include "connect.h"
#include "link_tcp.h"

#define CW_LAST_WORD_MS 1000
#define CW_IO_MS 2 /* that the io work runs before it lets others run */

static struct workqueue_struct *cw_tcp_wq;

u32 cw_link_tcp_crc32c(const void *data, size_t len)
{
	return ~cw_tcp_crc_more(~0U, data, len);
}

/* ---- the io work ---- */

void cw_tcp_call(struct cw_link_tcp *l)
{
	unsigned long flags;

	spin_lock_irqsave(&l->queue_lock, flags);
	if (l->started && !l->drained)
		queue_work(cw_tcp_wq, &l->io);
	spin_unlock_irqrestore(&l->queue_lock, flags);
}

/* The death of the connection, after everything that it brought was taken. */
static void cw_tcp_check_state(struct cw_link_tcp *l)
{
	struct sock *sk = l->sock->sk;
	int err = READ_ONCE(sk->sk_err);

	if (err)
		cw_link_kill(&l->link, -err, "the TCP connection failed (%d)", -err);
	else if (sk->sk_shutdown & RCV_SHUTDOWN)
		cw_link_kill(&l->link, -ECONNRESET, "the peer closed the connection");
}

static bool cw_tcp_can_send(const struct cw_link_tcp *l)
{
	u8 state = READ_ONCE(l->sock->sk->sk_state);

	return state != TCP_SYN_SENT && state != TCP_SYN_RECV && state != TCP_CLOSE;
}

/*
 * Returns true if there was something to do. What arrived counts, even if the connection has ended
 * behind it: a rejection, or the last words of a server.
 */
static bool cw_tcp_work_once(struct cw_link_tcp *l)
{
	int ret = cw_tcp_can_send(l) ? cw_tcp_transmit(l) : 0;

	if (cw_tcp_receive(l) > 0)
		return true;
	if (ret && ret != -EAGAIN)
		cw_link_kill(&l->link, ret, "sending failed (%d)", ret);
	else
		cw_tcp_check_state(l);
	return false;
}

/*
 * A control link goes on to receive. Otherwise a PROBE that arrives now would make TCP reset the
 * connection, and discard what it holds for the peer.
 */
static void cw_tcp_end_work(struct cw_link_tcp *l)
{
	if (!l->shut && l->sock)
		kernel_sock_shutdown(l->sock,
				     l->link.kind == CW_LINK_CONTROL ? SHUT_WR : SHUT_RDWR);
	l->shut = true;
	cw_tcp_release_all(l);
}

static void cw_tcp_io(struct work_struct *work)
{
	struct cw_link_tcp *l = container_of(work, struct cw_link_tcp, io);
	unsigned long until = jiffies + msecs_to_jiffies(CW_IO_MS);
	unsigned int noio = memalloc_noio_save();
	bool more = true;

	while (more && !cw_link_is_dead(&l->link)) {
		more = cw_tcp_work_once(l);
		if (more && time_after(jiffies, until)) {
			cw_tcp_call(l);
			break;
		}
	}
	if (cw_link_is_dead(&l->link))
		cw_tcp_end_work(l);
	memalloc_noio_restore(noio);
}

/* ---- the callbacks of the socket ---- */

static void cw_tcp_called(struct sock *sk)
{
	struct cw_link_tcp *l;

	read_lock_bh(&sk->sk_callback_lock);
	l = sk->sk_user_data;
	if (l)
		cw_tcp_call(l);
	read_unlock_bh(&sk->sk_callback_lock);
}

static void cw_tcp_write_space(struct sock *sk)
{
	if (sk_stream_is_writeable(sk)) {
		clear_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
		cw_tcp_called(sk);
	}
}

void cw_tcp_start(struct cw_link_tcp *l)
{
	struct sock *sk = l->sock->sk;
	unsigned long flags;

	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_user_data = l;
	l->data_ready = sk->sk_data_ready;
	l->state_change = sk->sk_state_change;
	l->write_space = sk->sk_write_space;
	sk->sk_data_ready = cw_tcp_called;
	sk->sk_state_change = cw_tcp_called;
	sk->sk_write_space = cw_tcp_write_space;
	write_unlock_bh(&sk->sk_callback_lock);
	spin_lock_irqsave(&l->queue_lock, flags);
	l->started = true;
	spin_unlock_irqrestore(&l->queue_lock, flags);
	cw_tcp_call(l);
}

/* Afterwards no callback of the socket leads to the link, or to this module. */
static void cw_tcp_stop_callbacks(struct cw_link_tcp *l)
{
	struct sock *sk = l->sock->sk;

	write_lock_bh(&sk->sk_callback_lock);
	if (sk->sk_user_data) {
		sk->sk_user_data = NULL;
		sk->sk_data_ready = l->data_ready;
		sk->sk_state_change = l->state_change;
		sk->sk_write_space = l->write_space;
	}
	write_unlock_bh(&sk->sk_callback_lock);
}

/* ---- life ---- */

static int cw_tcp_poll(struct cw_link *link)
{
	return 0; /* the io work receives, without being asked */
}

static void cw_tcp_kill(struct cw_link *link, int err)
{
	struct cw_link_tcp *l = to_tcp(link);

	wake_up(&l->wait);
	cw_tcp_call(l);
}

static bool cw_tcp_is_closing(struct sock *sk)
{
	return (1 << READ_ONCE(sk->sk_state)) & (TCPF_FIN_WAIT1 | TCPF_CLOSING | TCPF_LAST_ACK);
}

/*
 * Waits until the peer's TCP has acknowledged the last word of this end. Over RDMA, the adapter
 * reports the same when a message is released.
 */
static void cw_tcp_deliver_last_word(struct cw_link_tcp *l)
{
	struct sock *sk = l->sock->sk;

	if (!l->has_last_word ||
	    !before(READ_ONCE(tcp_sk(sk)->snd_una), l->last_word_end))
		return;
	kernel_sock_shutdown(l->sock, SHUT_WR);
	wait_event_interruptible_timeout(*sk_sleep(sk), !cw_tcp_is_closing(sk),
					 msecs_to_jiffies(CW_LAST_WORD_MS));
}

/*
 * A link is aborted: TCP sends nothing that it still holds, and no socket outlives its link. A
 * close in order would not do the second: tcp_close() stops the timers of a kernel's socket, so
 * TCP would neither repeat the FIN nor ever free the socket of a peer that does not answer.
 */
static void cw_tcp_close(struct cw_link_tcp *l)
{
	struct socket *sock = l->sock;

	if (!sock)
		return;
	cw_tcp_deliver_last_word(l);
	sock_no_linger(sock->sk);
	if (sock_flag(sock->sk, SOCK_MEMALLOC))
		sk_clear_memalloc(sock->sk);
	l->sock = NULL;
	sock_release(sock);
}

static void cw_tcp_drain(struct cw_link *link)
{
	struct cw_link_tcp *l = to_tcp(link);
	unsigned long flags;

	if (l->awaits_acceptance)
		wait_for_completion(&l->accepted);
	if (l->sock)
		cw_tcp_stop_callbacks(l);
	spin_lock_irqsave(&l->queue_lock, flags);
	l->drained = true;
	spin_unlock_irqrestore(&l->queue_lock, flags);
	cancel_work_sync(&l->io);
	cw_tcp_close(l);
	cw_tcp_release_all(l);
}

static const struct cw_link_ops cw_link_tcp_ops = {
	.transport = CW_TRANSPORT_TCP,
	.tx_attach = cw_tcp_tx_attach,
	.send = cw_tcp_send,
	.put = cw_tcp_put,
	.message_put = cw_tcp_message_put,
	.map = cw_tcp_map,
	.unmap = cw_tcp_unmap,
	.moved = cw_tcp_moved,
	.transfer_alloc = cw_tcp_transfer_alloc,
	.transfer_fetch = cw_tcp_transfer_fetch,
	.transfer_filled = cw_tcp_transfer_filled,
	.transfer_free = cw_tcp_transfer_free,
	.poll = cw_tcp_poll,
	.kill = cw_tcp_kill,
	.drain = cw_tcp_drain,
	.free = cw_tcp_free,
	.acceptance = cw_tcp_acceptance,
	.describe = cw_tcp_describe,
	.caps = cw_tcp_caps,
};

static int cw_link_tcp_equip(struct cw_link_tcp *l)
{
	int ret;

	ret = cw_pools_make(&l->link, NULL) ?: cw_tcp_tx_make(l) ?: cw_tcp_rx_make(l);
	if (ret || l->link.kind != CW_LINK_DATA || l->link.server)
		return ret;
	return cw_link_make_slots(&l->link) ?: cw_tcp_maps_make(l);
}

struct cw_link_tcp *cw_link_tcp_alloc(const struct cw_link_config *config, bool server)
{
	struct cw_link_tcp *l = kvzalloc(sizeof(*l), GFP_KERNEL);
	int ret;

	if (!l)
		return ERR_PTR(-ENOMEM);
	cw_link_init(&l->link, &cw_link_tcp_ops, config, server);
	l->link.polled = false; /* the io work receives */
	l->link.limits.needs_rkey = true;
	INIT_WORK(&l->io, cw_tcp_io);
	spin_lock_init(&l->queue_lock);
	spin_lock_init(&l->free_lock);
	INIT_LIST_HEAD(&l->tx_queue);
	INIT_LIST_HEAD(&l->puts);
	INIT_LIST_HEAD(&l->fetches);
	INIT_LIST_HEAD(&l->rx_free);
	INIT_LIST_HEAD(&l->maps_free);
	init_waitqueue_head(&l->wait);
	init_completion(&l->accepted);
	l->in.stream.to_server = server;
	l->in.stream.link = config->kind;
	l->in.stream.area = l->link.area;
	ret = cw_link_tcp_equip(l);
	if (ret) {
		set_bit(0, &l->link.dead); /* without a report: its handler must not be called */
		cw_tcp_free(&l->link);
		return ERR_PTR(ret);
	}
	return l;
}

void cw_tcp_free(struct cw_link *link)
{
	struct cw_link_tcp *l = to_tcp(link);

	cw_tcp_drain(link);
	cw_pools_free(link);
	kvfree(l->rx);
	kvfree(l->tx);
	kvfree(l->maps);
	cw_link_free_slots(link);
	kvfree(l);
}

int cw_link_tcp_init(void)
{
	cw_tcp_wq = alloc_workqueue("cw_tcp", WQ_MEM_RECLAIM | WQ_HIGHPRI, 0);
	return cw_tcp_wq ? 0 : -ENOMEM;
}

void cw_link_tcp_exit(void)
{
	destroy_workqueue(cw_tcp_wq);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The dumps SESSION_GET and STAT_GET.
 *
 * Both dumps list the client's sessions first (args[0] counts those sent), then the server's
 * (args[1]). A change between two parts of one dump may show an object twice or not at all, as in
 * every netlink dump. Counters are the sums of past and present links, read while the links run.
 */
#include <linux/sched/mm.h>

#include "../link/rdma/connect.h"
#include "../netlink/netlink.h"
#include "../session/client/session.h"
#include "../session/server/session.h"
#include "sessions.h"

static int cw_put_stats(struct sk_buff *skb, const struct cw_stats *stats)
{
	struct nlattr *nest = nla_nest_start(skb, CW_A_COUNTERS);
	int i;

	if (!nest)
		return -EMSGSIZE;
	for (i = CW_N_READS; i < __CW_N_MAX; i++)
		if (nla_put_u64_64bit(skb, i, stats->n[i], CW_N_PAD))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	if (nla_put(skb, CW_A_READ_LATENCY, sizeof(stats->read_latency), stats->read_latency) ||
	    nla_put(skb, CW_A_WRITE_LATENCY, sizeof(stats->write_latency), stats->write_latency) ||
	    nla_put(skb, CW_A_FLUSH_LATENCY, sizeof(stats->flush_latency), stats->flush_latency))
		return -EMSGSIZE;
	return 0;
}

/* ---- client ---- */

static int put_client(struct sk_buff *skb, struct netlink_callback *cb, struct cw_session *s)
{
	void *hdr = cw_dump_start(skb, cb, CW_C_SESSION_GET);
	bool secrets = cw_may_see_secrets(cb->skb);
	unsigned long retry = READ_ONCE(s->retry_at);
	char reason[sizeof(s->reason)];
	int error;
	enum cw_state state = cw_session_shown_state(s);
	bool live = state == CW_STATE_LIVE;
	const char *disk = s->ops->disk_name ? s->ops->disk_name(s) : NULL;

	if (!hdr)
		return -EMSGSIZE;
	mutex_lock(&s->stats_lock);
	strscpy(reason, s->reason, sizeof(reason));
	error = s->error;
	mutex_unlock(&s->stats_lock);
	if (nla_put_u8(skb, CW_A_ROLE, CW_ROLE_CLIENT) ||
	    nla_put_string(skb, CW_A_SERVER, s->config.server) ||
	    nla_put_string(skb, CW_A_NAME, s->config.name) ||
	    cw_put_address(skb, CW_A_ADDRESS, &s->config.address) ||
	    nla_put_u8(skb, CW_A_STATE, state) ||
	    nla_put_u8(skb, CW_A_TRANSPORT, live ? CW_TRANSPORT_RDMA : CW_TRANSPORT_NONE) ||
	    nla_put_u32(skb, CW_A_ATTEMPTS, s->attempts) ||
	    nla_put_u32(skb, CW_A_RECONNECTS, s->reconnects) ||
	    nla_put_u64_64bit(skb, CW_A_SINCE, ktime_to_ns(ktime_sub(ktime_get(), s->since)),
			      CW_A_PAD) ||
	    (secrets && nla_put(skb, CW_A_SESSION, CW_WIRE_UUID, s->uuid)) ||
	    (disk && nla_put_string(skb, CW_A_DISK, disk)))
		goto full;
	if (reason[0] && (nla_put_string(skb, CW_A_REASON, reason) ||
			  nla_put_s32(skb, CW_A_ERROR, error)))
		goto full;
	if (live && (nla_put_string(skb, CW_A_DEVICE, s->device) ||
		     nla_put_u8(skb, CW_A_DEVICE_PORT, s->device_port) ||
		     cw_put_address(skb, CW_A_LOCAL_ADDRESS, &s->local_address) ||
		     nla_put_u16(skb, CW_A_QUEUES, s->nr_links) ||
		     nla_put_u16(skb, CW_A_DEPTH, s->welcome.depth) ||
		     nla_put_u32(skb, CW_A_INLINE, s->welcome.inline_size) ||
		     nla_put_u32(skb, CW_A_MAX_IO, s->welcome.max_io)))
		goto full;
	if ((state == CW_STATE_HELD || state == CW_STATE_FAILING || state == CW_STATE_REFUSED) &&
	    nla_put_u32(skb, CW_A_RETRY_IN, time_before(jiffies, retry) ?
						    jiffies_to_msecs(retry - jiffies) : 0))
		goto full;
	genlmsg_end(skb, hdr);
	return 0;
full:
	genlmsg_cancel(skb, hdr);
	return -EMSGSIZE;
}

/* Links are not freed while stats_lock is held. */
static void client_stats(struct cw_session *s, struct cw_stats *out)
{
	unsigned int i;

	mutex_lock(&s->stats_lock);
	*out = s->past;
	for (i = 0; i < ARRAY_SIZE(s->links); i++)
		if (s->links[i])
			cw_stats_add(out, &s->links[i]->stats);
	mutex_unlock(&s->stats_lock);
}

static int put_client_stats(struct sk_buff *skb, struct netlink_callback *cb, struct cw_session *s)
{
	struct cw_stats *stats = kmalloc(sizeof(*stats), GFP_KERNEL);
	const char *disk = s->ops->disk_name ? s->ops->disk_name(s) : NULL;
	int ret = -EMSGSIZE;
	void *hdr;

	if (!stats)
		return -ENOMEM;
	hdr = cw_dump_start(skb, cb, CW_C_STAT_GET);
	if (!hdr)
		goto out;
	client_stats(s, stats);
	if (!nla_put_u8(skb, CW_A_ROLE, CW_ROLE_CLIENT) &&
	    !nla_put_string(skb, CW_A_SERVER, s->config.server) &&
	    !nla_put_string(skb, CW_A_NAME, s->config.name) &&
	    (!disk || !nla_put_string(skb, CW_A_DISK, disk)) && !cw_put_stats(skb, stats))
		ret = 0;
	if (ret)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
out:
	kfree(stats);
	return ret;
}

static int each_client(struct sk_buff *skb, struct netlink_callback *cb,
		       int (*put)(struct sk_buff *skb, struct netlink_callback *cb,
				  struct cw_session *s))
{
	struct cw_session *s;
	long i = 0;
	int ret = 0;

	mutex_lock(&cw_sessions_lock);
	list_for_each_entry(s, &cw_sessions, entry) {
		if (i++ < cb->args[0])
			continue;
		ret = put(skb, cb, s);
		if (ret)
			break;
		cb->args[0] = i;
	}
	mutex_unlock(&cw_sessions_lock);
	return ret;
}

/* ---- server ---- */

static int put_server(struct sk_buff *skb, struct netlink_callback *cb,
		      struct cw_server_session *s)
{
	bool secrets = cw_may_see_secrets(cb->skb);
	struct sockaddr_storage local, peer;
	char device[64];
	u8 port;
	void *hdr;

	mutex_lock(&s->stats_lock);
	if (!s->control) {
		mutex_unlock(&s->stats_lock);
		return 0;
	}
	cw_link_rdma_describe(s->control, device, &port, &local, &peer);
	mutex_unlock(&s->stats_lock);
	hdr = cw_dump_start(skb, cb, CW_C_SESSION_GET);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_u8(skb, CW_A_ROLE, CW_ROLE_SERVER) || nla_put_u32(skb, CW_A_ID, s->number) ||
	    nla_put_string(skb, CW_A_NAME, s->hello.export_name) ||
	    nla_put_string(skb, CW_A_HOST_NAME, s->hello.host_name) ||
	    (secrets && nla_put(skb, CW_A_HOST, CW_WIRE_UUID, s->hello.host)) ||
	    (secrets && nla_put(skb, CW_A_SESSION, CW_WIRE_UUID, s->hello.session)) ||
	    cw_put_address(skb, CW_A_ADDRESS, &peer) ||
	    cw_put_address(skb, CW_A_LOCAL_ADDRESS, &local) ||
	    nla_put_u8(skb, CW_A_STATE, READ_ONCE(s->state) == CW_SERVER_LIVE ?
						CW_STATE_LIVE : CW_STATE_CLOSING) ||
	    nla_put_u8(skb, CW_A_TRANSPORT, CW_TRANSPORT_RDMA) ||
	    nla_put_string(skb, CW_A_DEVICE, device) ||
	    nla_put_u8(skb, CW_A_DEVICE_PORT, port) ||
	    nla_put_u64_64bit(skb, CW_A_SINCE, ktime_to_ns(ktime_sub(ktime_get(), s->since)),
			      CW_A_PAD) ||
	    nla_put_u16(skb, CW_A_QUEUES, s->welcome.queues) ||
	    nla_put_u16(skb, CW_A_DEPTH, s->welcome.depth) ||
	    nla_put_u32(skb, CW_A_INLINE, s->welcome.inline_size) ||
	    nla_put_u32(skb, CW_A_MAX_IO, s->welcome.max_io)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

static void server_stats(struct cw_server_session *s, struct cw_stats *out)
{
	unsigned int i;

	mutex_lock(&s->stats_lock);
	*out = s->past;
	for (i = 0; i < ARRAY_SIZE(s->links); i++)
		if (s->links[i])
			cw_stats_add(out, &s->links[i]->stats);
	mutex_unlock(&s->stats_lock);
}

static int put_server_stats(struct sk_buff *skb, struct netlink_callback *cb,
			    struct cw_server_session *s)
{
	struct cw_stats *stats = kmalloc(sizeof(*stats), GFP_KERNEL);
	int ret = -EMSGSIZE;
	void *hdr;

	if (!stats)
		return -ENOMEM;
	hdr = cw_dump_start(skb, cb, CW_C_STAT_GET);
	if (!hdr)
		goto out;
	server_stats(s, stats);
	if (!nla_put_u8(skb, CW_A_ROLE, CW_ROLE_SERVER) && !nla_put_u32(skb, CW_A_ID, s->number) &&
	    !nla_put_string(skb, CW_A_NAME, s->hello.export_name) &&
	    !nla_put_string(skb, CW_A_HOST_NAME, s->hello.host_name) &&
	    !cw_put_address(skb, CW_A_ADDRESS, &s->peer) && !cw_put_stats(skb, stats))
		ret = 0;
	if (ret)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
out:
	kfree(stats);
	return ret;
}

static int each_server(struct sk_buff *skb, struct netlink_callback *cb,
		       int (*put)(struct sk_buff *skb, struct netlink_callback *cb,
				  struct cw_server_session *s))
{
	/*
	 * Logins wait for cw_server_lock, and an allocation with I/O might wait for a disk that
	 * needs such a login.
	 */
	unsigned int noio = memalloc_noio_save();
	struct cw_server_session *s;
	long i = 0;
	int ret = 0;

	mutex_lock(&cw_server_lock);
	list_for_each_entry(s, &cw_server_sessions, entry) {
		if (i++ < cb->args[1])
			continue;
		/* Before WELCOME a session has no properties to show. */
		if (READ_ONCE(s->up))
			ret = put(skb, cb, s);
		if (ret)
			break;
		cb->args[1] = i;
	}
	mutex_unlock(&cw_server_lock);
	memalloc_noio_restore(noio);
	return ret;
}

/* A full buffer that is not empty is sent, and the dump continues in the next one. */
static int result(struct sk_buff *skb, int ret)
{
	return ret && !(ret == -EMSGSIZE && skb->len) ? ret : skb->len;
}

int cw_dump_sessions(struct sk_buff *skb, struct netlink_callback *cb)
{
	return result(skb, each_client(skb, cb, put_client) ?: each_server(skb, cb, put_server));
}

int cw_dump_stats(struct sk_buff *skb, struct netlink_callback *cb)
{
	return result(skb, each_client(skb, cb, put_client_stats) ?:
			   each_server(skb, cb, put_server_stats));
}

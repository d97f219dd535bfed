// SPDX-License-Identifier: GPL-2.0-only
/*
 * The dumps SESSION_GET and STAT_GET.
 *
 * Both dumps list the client's sessions first (args[0] counts those sent), then the server's
 * (args[1]). A change between two parts of one dump may show an object twice or not at all, as in
 * every netlink dump. Counters are the sums of past and present links, read while the links run.
 */
#include <linux/sched/mm.h>

#include "../link/factory.h"
#include "../netlink/netlink.h"
#include "../session/client/path_list.h"
#include "../session/server/session.h"
#include "disk_paths.h"
#include "sessions.h"

/*
 * Adds to @sum the links that are gone, @past, and those of @links that are there. Links are not
 * freed while @lock is held.
 */
static void cw_dump_add_stats(struct cw_stats *sum, struct mutex *lock, const struct cw_stats *past,
			      struct cw_link *const *links, unsigned int count)
{
	unsigned int i;

	mutex_lock(lock);
	cw_stats_add(sum, past);
	for (i = 0; i < count; i++)
		if (links[i])
			cw_stats_add(sum, &links[i]->stats);
	mutex_unlock(lock);
}

static int cw_dump_put_stats(struct sk_buff *skb, const struct cw_stats *sum)
{
	struct nlattr *nest;
	unsigned int i;
	int ret;

	nest = nla_nest_start(skb, CW_A_COUNTERS);
	ret = nest ? 0 : -EMSGSIZE;
	for (i = CW_N_READS; !ret && i < __CW_N_MAX; i++)
		ret = nla_put_u64_64bit(skb, i, sum->n[i], CW_N_PAD);
	if (ret)
		return ret;
	nla_nest_end(skb, nest);
	return nla_put(skb, CW_A_READ_LATENCY, sizeof(sum->read_latency), sum->read_latency) ?:
	       nla_put(skb, CW_A_WRITE_LATENCY, sizeof(sum->write_latency), sum->write_latency) ?:
	       nla_put(skb, CW_A_FLUSH_LATENCY, sizeof(sum->flush_latency), sum->flush_latency);
}

/* ---- client ---- */

/*
 * Returns the path that carries I/O; if there is none, the first path that is live; otherwise the
 * first path.
 */
static const struct cw_path *cw_dump_shown_path(struct cw_session *s)
{
	const struct cw_path *p, *live = NULL, *first = NULL;
	unsigned int i;

	lockdep_assert_held(&s->lock);
	for (i = 0; i < s->nr_paths; i++) {
		p = s->paths[i];
		if (s->ops->carries_io && s->ops->carries_io(s, p))
			return p;
		if (!live && p->state == CW_PATH_LIVE)
			live = p;
		if (!first && !cw_path_is_removed(p))
			first = p;
	}
	return live ?: first ?: s->paths[0];
}

static int cw_dump_put_client_locked(struct sk_buff *skb, struct cw_session *s, bool secrets)
{
	const struct cw_path *p = cw_dump_shown_path(s);
	unsigned long retry = READ_ONCE(s->retry_at);
	char reason[sizeof(s->reason)];
	int error;
	enum cw_state state = cw_session_shown_state(s);
	bool live = state == CW_STATE_LIVE;
	const char *disk = s->ops->disk_name ? s->ops->disk_name(s) : NULL;

	mutex_lock(&s->reason_lock);
	strscpy(reason, s->reason, sizeof(reason));
	error = s->error;
	mutex_unlock(&s->reason_lock);
	if (nla_put_u8(skb, CW_A_ROLE, CW_ROLE_CLIENT) ||
	    nla_put_string(skb, CW_A_SERVER, s->config.server) ||
	    nla_put_string(skb, CW_A_NAME, s->config.name) ||
	    cw_put_address(skb, CW_A_ADDRESS, &p->address) ||
	    nla_put_u8(skb, CW_A_STATE, state) ||
	    nla_put_u8(skb, CW_A_TRANSPORT, live ? p->factory->transport : CW_TRANSPORT_NONE) ||
	    nla_put_u32(skb, CW_A_ATTEMPTS, s->attempts) ||
	    nla_put_u32(skb, CW_A_RECONNECTS, s->reconnects) ||
	    nla_put_u32(skb, CW_A_FAILOVERS, s->failovers) ||
	    nla_put_u64_64bit(skb, CW_A_FALLBACKS, s->fallbacks, CW_A_PAD) ||
	    nla_put_u64_64bit(skb, CW_A_RETURNS, s->returns, CW_A_PAD) ||
	    (s->fallbacks && nla_put_string(skb, CW_A_FALLBACK_REASON, s->fallback_reason)) ||
	    nla_put_u64_64bit(skb, CW_A_SINCE, ktime_to_ns(ktime_sub(ktime_get(), s->since)),
			      CW_A_PAD) ||
	    (secrets && nla_put(skb, CW_A_SESSION, CW_WIRE_UUID, s->uuid)) ||
	    (s->config.path_policy &&
	     nla_put_u8(skb, CW_A_PATH_POLICY, s->config.path_policy)) ||
	    (disk && nla_put_string(skb, CW_A_DISK, disk)))
		return -EMSGSIZE;
	if (reason[0] && (nla_put_string(skb, CW_A_REASON, reason) ||
			  nla_put_s32(skb, CW_A_ERROR, error)))
		return -EMSGSIZE;
	if (live && (nla_put_string(skb, CW_A_DEVICE, p->device) ||
		     nla_put_u8(skb, CW_A_DEVICE_PORT, p->device_port) ||
		     cw_put_address(skb, CW_A_LOCAL_ADDRESS, &p->local_address) ||
		     nla_put_u16(skb, CW_A_QUEUES, p->nr_links) ||
		     nla_put_u16(skb, CW_A_DEPTH, p->grants.depth) ||
		     nla_put_u32(skb, CW_A_INLINE, p->grants.inline_size) ||
		     nla_put_u32(skb, CW_A_MAX_IO, p->grants.max_io)))
		return -EMSGSIZE;
	if ((state == CW_STATE_HELD || state == CW_STATE_FAILING || state == CW_STATE_REFUSED) &&
	    nla_put_u32(skb, CW_A_RETRY_IN, time_before(jiffies, retry) ?
						    jiffies_to_msecs(retry - jiffies) : 0))
		return -EMSGSIZE;
	return cw_dump_put_paths(skb, s);
}

/* The addresses of a path change if it is removed and added again. */
static int cw_dump_put_client(struct sk_buff *skb, void *object, bool secrets)
{
	struct cw_session *s = object;
	int ret;

	mutex_lock(&s->lock);
	ret = cw_dump_put_client_locked(skb, s, secrets);
	mutex_unlock(&s->lock);
	return ret;
}

static int cw_dump_put_client_stats(struct sk_buff *skb, void *object, bool secrets)
{
	struct cw_session *s = object;
	const char *disk = s->ops->disk_name ? s->ops->disk_name(s) : NULL;
	struct cw_stats *sum;
	unsigned int i, nr = cw_session_nr_paths(s);
	int ret;

	if (nla_put_u8(skb, CW_A_ROLE, CW_ROLE_CLIENT) ||
	    nla_put_string(skb, CW_A_SERVER, s->config.server) ||
	    nla_put_string(skb, CW_A_NAME, s->config.name) ||
	    (disk && nla_put_string(skb, CW_A_DISK, disk)))
		return -EMSGSIZE;
	sum = kzalloc(sizeof(*sum), GFP_KERNEL);
	if (!sum)
		return -ENOMEM;
	/* The counters of a path stay when it is removed. */
	for (i = 0; i < nr; i++) {
		struct cw_path *p = s->paths[i];

		cw_dump_add_stats(sum, &p->stats_lock, &p->past, p->links, ARRAY_SIZE(p->links));
	}
	ret = cw_dump_put_stats(skb, sum);
	kfree(sum);
	return ret;
}

static int cw_dump_each_client(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
			       cw_dump_put *put)
{
	/* Works that bring a path back wait for cw_sessions_lock. */
	unsigned int noio = memalloc_noio_save();
	struct cw_session *s;
	long i = 0;
	int ret = 0;

	mutex_lock(&cw_sessions_lock);
	list_for_each_entry(s, &cw_sessions, entry) {
		if (i++ < cb->args[0])
			continue;
		ret = cw_dump_object(skb, cb, cmd, put, s);
		if (ret)
			break;
		cb->args[0] = i;
	}
	mutex_unlock(&cw_sessions_lock);
	memalloc_noio_restore(noio);
	return ret;
}

/* ---- server ---- */

static int cw_dump_put_server(struct sk_buff *skb, void *object, bool secrets)
{
	struct cw_server_session *s = object;
	struct sockaddr_storage local, peer;
	char device[64];
	u8 port, transport;

	mutex_lock(&s->stats_lock);
	if (!s->control) {
		mutex_unlock(&s->stats_lock);
		return -ENODATA;
	}
	cw_link_describe(s->control, device, &port, &local, &peer);
	transport = cw_link_transport(s->control);
	mutex_unlock(&s->stats_lock);
	if (nla_put_u8(skb, CW_A_ROLE, CW_ROLE_SERVER) || nla_put_u32(skb, CW_A_ID, s->number) ||
	    nla_put_string(skb, CW_A_NAME, s->hello.export_name) ||
	    nla_put_string(skb, CW_A_HOST_NAME, s->hello.host_name) ||
	    (secrets && nla_put(skb, CW_A_HOST, CW_WIRE_UUID, s->hello.host)) ||
	    (secrets && nla_put(skb, CW_A_SESSION, CW_WIRE_UUID, s->hello.session)) ||
	    cw_put_address(skb, CW_A_ADDRESS, &peer) ||
	    cw_put_address(skb, CW_A_LOCAL_ADDRESS, &local) ||
	    nla_put_u8(skb, CW_A_STATE, READ_ONCE(s->state) == CW_SERVER_LIVE ?
						CW_STATE_LIVE : CW_STATE_CLOSING) ||
	    nla_put_u8(skb, CW_A_TRANSPORT, transport) ||
	    nla_put_string(skb, CW_A_DEVICE, device) ||
	    nla_put_u8(skb, CW_A_DEVICE_PORT, port) ||
	    nla_put_u64_64bit(skb, CW_A_SINCE, ktime_to_ns(ktime_sub(ktime_get(), s->since)),
			      CW_A_PAD) ||
	    nla_put_u16(skb, CW_A_QUEUES, s->welcome.queues) ||
	    nla_put_u16(skb, CW_A_DEPTH, s->welcome.depth) ||
	    nla_put_u32(skb, CW_A_INLINE, s->welcome.inline_size) ||
	    nla_put_u32(skb, CW_A_MAX_IO, s->welcome.max_io))
		return -EMSGSIZE;
	return 0;
}

static int cw_dump_put_server_stats(struct sk_buff *skb, void *object, bool secrets)
{
	struct cw_server_session *s = object;
	struct cw_stats *sum;
	int ret;

	if (nla_put_u8(skb, CW_A_ROLE, CW_ROLE_SERVER) || nla_put_u32(skb, CW_A_ID, s->number) ||
	    nla_put_string(skb, CW_A_NAME, s->hello.export_name) ||
	    nla_put_string(skb, CW_A_HOST_NAME, s->hello.host_name) ||
	    cw_put_address(skb, CW_A_ADDRESS, &s->peer))
		return -EMSGSIZE;
	sum = kzalloc(sizeof(*sum), GFP_KERNEL);
	if (!sum)
		return -ENOMEM;
	cw_dump_add_stats(sum, &s->stats_lock, &s->past, s->links, ARRAY_SIZE(s->links));
	ret = cw_dump_put_stats(skb, sum);
	kfree(sum);
	return ret;
}

static int cw_dump_each_server(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
			       cw_dump_put *put)
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
			ret = cw_dump_object(skb, cb, cmd, put, s);
		if (ret)
			break;
		cb->args[1] = i;
	}
	mutex_unlock(&cw_server_lock);
	memalloc_noio_restore(noio);
	return ret;
}

int cw_dump_sessions(struct sk_buff *skb, struct netlink_callback *cb)
{
	int ret = cw_dump_each_client(skb, cb, CW_C_SESSION_GET, cw_dump_put_client) ?:
		  cw_dump_each_server(skb, cb, CW_C_SESSION_GET, cw_dump_put_server);

	return cw_dump_result(skb, ret);
}

int cw_dump_stats(struct sk_buff *skb, struct netlink_callback *cb)
{
	int ret = cw_dump_each_client(skb, cb, CW_C_STAT_GET, cw_dump_put_client_stats) ?:
		  cw_dump_each_server(skb, cb, CW_C_STAT_GET, cw_dump_put_server_stats);

	return cw_dump_result(skb, ret);
}

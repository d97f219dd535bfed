// SPDX-License-Identifier: GPL-2.0-only
/*
 * NFS connections and what is told of them.
 *
 * Who changes a connection may be in any context, and telling listeners wants memory: a change sets
 * a bit and a work tells. Counters are per CPU, so that the send path, completions and the server's
 * threads share no cache line.
 */
#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/ipv6.h>

#include "../core/netlink.h"
#include "connections.h"

enum { TELL_UP, TELL_DOWN, TELL_FAILED };

static DEFINE_MUTEX(lock); /* guards the list; held while a dump tells of one */
static LIST_HEAD(connections);
static atomic_t last_id;

/* "10.0.0.1" or "fd00::1". */
static const char *peer_text(const struct sockaddr_storage *peer, char *text, size_t size)
{
	snprintf(text, size, "%pISc", peer);
	return text;
}

/*
 * The last thing told is what is: of two changes that met here, the later one is the one that the
 * state shows.
 */
static void tell(struct work_struct *work)
{
	struct cwr_connection *c = container_of(work, struct cwr_connection, tell_work);
	char server[sizeof(c->server)], reason[sizeof(c->reason)], peer[INET6_ADDRSTRLEN];
	struct sockaddr_storage address;
	unsigned long events, flags;
	bool live;

	spin_lock_irqsave(&c->lock, flags);
	events = c->events;
	c->events = 0;
	live = c->state == CW_STATE_LIVE;
	address = c->peer;
	strscpy(server, c->server, sizeof(server));
	strscpy(reason, c->reason, sizeof(reason));
	spin_unlock_irqrestore(&c->lock, flags);

	peer_text(&address, peer, sizeof(peer));
	if (events & BIT(TELL_UP) && !live)
		cw_event(CW_EVENT_NFS_UP, c->role, server[0] ? server : NULL, NULL,
			 "NFS connection %u to %s was up", c->id, peer);
	if (events & BIT(TELL_DOWN))
		cw_event(CW_EVENT_NFS_DOWN, c->role, server[0] ? server : NULL, NULL,
			 "NFS connection %u to %s is down: %s", c->id, peer, reason);
	if (events & BIT(TELL_FAILED))
		cw_event(CW_EVENT_NFS_ATTEMPT_FAILED, c->role, server[0] ? server : NULL, NULL,
			 "NFS connection %u to %s: %s", c->id, peer, reason);
	if (events & BIT(TELL_UP) && live)
		cw_event(CW_EVENT_NFS_UP, c->role, server[0] ? server : NULL, NULL,
			 "NFS connection %u to %s is up by RDMA", c->id, peer);
}

int cwr_connection_init(struct cwr_connection *c, enum cw_role role)
{
	memset(c, 0, sizeof(*c));
	INIT_LIST_HEAD(&c->entry);
	spin_lock_init(&c->lock);
	INIT_WORK(&c->tell_work, tell);
	c->role = role;
	c->state = CW_STATE_CONNECTING;
	c->since = ktime_get();
	c->id = atomic_inc_return(&last_id);
	c->counters = alloc_percpu(struct cwr_counters);
	return c->counters ? 0 : -ENOMEM;
}

void cwr_connection_free(struct cwr_connection *c)
{
	free_percpu(c->counters);
	c->counters = NULL;
}

void cwr_connection_add(struct cwr_connection *c, const char *server, const struct sockaddr *peer)
{
	size_t size = peer->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) :
						    sizeof(struct sockaddr_in);

	memcpy(&c->peer, peer, size);
	if (server)
		strscpy(c->server, server, sizeof(c->server));
	mutex_lock(&lock);
	list_add_tail(&c->entry, &connections);
	mutex_unlock(&lock);
}

void cwr_connection_del(struct cwr_connection *c)
{
	if (!c->counters)
		return;
	mutex_lock(&lock);
	list_del_init(&c->entry);
	mutex_unlock(&lock);
	flush_work(&c->tell_work);
}

void cwr_connection_name(struct cwr_connection *c, const char *server)
{
	unsigned long flags;

	spin_lock_irqsave(&c->lock, flags);
	strscpy(c->server, server, sizeof(c->server));
	spin_unlock_irqrestore(&c->lock, flags);
}

/* Under c->lock. Nobody hears of one that no dump shows. */
static void change(struct cwr_connection *c, enum cw_state state, unsigned long events)
{
	lockdep_assert_held(&c->lock);
	if (c->state != state)
		c->since = ktime_get();
	c->state = state;
	c->events |= events;
	if (events && !list_empty_careful(&c->entry))
		queue_work(system_wq, &c->tell_work);
}

void cwr_connection_connecting(struct cwr_connection *c)
{
	unsigned long flags;

	spin_lock_irqsave(&c->lock, flags);
	c->attempts++;
	change(c, CW_STATE_CONNECTING, 0);
	spin_unlock_irqrestore(&c->lock, flags);
}

void cwr_connection_live(struct cwr_connection *c, const struct cwr_live *live)
{
	unsigned long flags;

	cwr_count(c, CW_NFS_CONNECTS);
	spin_lock_irqsave(&c->lock, flags);
	c->local = live->local;
	strscpy(c->device, live->device, sizeof(c->device));
	c->device_port = live->device_port;
	c->send_inline = live->send_inline;
	c->receive_inline = live->receive_inline;
	c->remote_invalidate = live->remote_invalidate;
	c->backchannel = live->backchannel;
	c->attempts = 0;
	c->reconnects += c->was_live;
	c->was_live = true;
	change(c, CW_STATE_LIVE, BIT(TELL_UP));
	spin_unlock_irqrestore(&c->lock, flags);
}

void cwr_connection_lost(struct cwr_connection *c, enum cw_state state, unsigned long retry,
			 int err, const char *fmt, ...)
{
	unsigned long flags;
	va_list args;

	spin_lock_irqsave(&c->lock, flags);
	va_start(args, fmt);
	vscnprintf(c->reason, sizeof(c->reason), fmt, args);
	va_end(args);
	c->error = err;
	c->retry_at = jiffies + retry;
	change(c, state, BIT(c->state == CW_STATE_LIVE ? TELL_DOWN : TELL_FAILED));
	spin_unlock_irqrestore(&c->lock, flags);
}

void cwr_connection_rail(struct cwr_connection *c, unsigned int index, unsigned int count,
			 const struct cwr_rail *rail)
{
	unsigned long flags;

	if (WARN_ON_ONCE(index >= count || count > ARRAY_SIZE(c->rails)))
		return;
	spin_lock_irqsave(&c->lock, flags);
	c->nr_rails = count;
	c->rails[index] = *rail;
	spin_unlock_irqrestore(&c->lock, flags);
}

int cwr_connections_each(long *from, int (*tell_one)(void *arg, struct cwr_connection *c),
			 void *arg)
{
	struct cwr_connection *c;
	long i = 0;
	int ret = 0;

	mutex_lock(&lock);
	list_for_each_entry(c, &connections, entry) {
		if (i++ < *from)
			continue;
		ret = tell_one(arg, c);
		if (ret)
			break;
		*from = i;
	}
	mutex_unlock(&lock);
	return ret;
}

void cwr_connection_sum(const struct cwr_connection *c, struct cwr_counters *out)
{
	const struct cwr_counters *one;
	int cpu, i;

	memset(out, 0, sizeof(*out));
	for_each_possible_cpu(cpu) {
		one = per_cpu_ptr(c->counters, cpu);
		for (i = 0; i < __CW_NFS_MAX; i++)
			out->n[i] += READ_ONCE(one->n[i]);
	}
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of NFS connections, their states and counters, and the events that result from changes.
 *
 * A connection may change in any context, but sending an event needs memory. So a change sets a
 * bit, and a work sends the event. Counters are per CPU, so that the send path, completions and the
 * server's threads share no cache line.
 */
#include <linux/atomic.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../../core/netlink/netlink.h"
#include "connections.h"

enum { TELL_UP, TELL_DOWN, TELL_FAILED };

static DEFINE_MUTEX(lock); /* guards the list; held while a dump handles a connection */
static LIST_HEAD(connections);
static u32 last_id;

static enum cw_role cwr_connection_role_of(const struct cwr_connection *c)
{
	return c->role == CWR_ROLE_CLIENT ? CW_ROLE_CLIENT : CW_ROLE_SERVER;
}

/*
 * Sends the events for all changes since the last run. If there are an up and a down, the one that
 * matches the present state is sent last.
 */
static void cwr_connection_announce(struct work_struct *work)
{
	struct cwr_connection *c = container_of(work, struct cwr_connection, announce);
	char server[sizeof(c->server)], reason[sizeof(c->reason)];
	const char *name = server;
	struct sockaddr_storage peer;
	unsigned long events, flags;
	bool up;

	spin_lock_irqsave(&c->lock, flags);
	events = c->events;
	c->events = 0;
	up = c->state == CWR_CONNECTED;
	peer = c->peer;
	strscpy(server, c->server, sizeof(server));
	strscpy(reason, c->reason[0] ? c->reason : "it was closed", sizeof(reason));
	spin_unlock_irqrestore(&c->lock, flags);

	if (!server[0])
		name = NULL;
	if (events & BIT(TELL_UP) && !up)
		cw_event(CW_EVENT_NFS_UP, cwr_connection_role_of(c), name, NULL,
			 "NFS connection %u to %pISc", c->id, &peer);
	if (events & BIT(TELL_DOWN))
		cw_event(CW_EVENT_NFS_DOWN, cwr_connection_role_of(c), name, NULL,
			 "NFS connection %u to %pISc: %s", c->id, &peer, reason);
	if (events & BIT(TELL_FAILED))
		cw_event(CW_EVENT_NFS_ATTEMPT_FAILED, cwr_connection_role_of(c), name, NULL,
			 "NFS connection %u to %pISc: %s", c->id, &peer, reason);
	if (events & BIT(TELL_UP) && up)
		cw_event(CW_EVENT_NFS_UP, cwr_connection_role_of(c), name, NULL,
			 "NFS connection %u to %pISc", c->id, &peer);
}

void cwr_connection_add(struct cwr_connection *c, enum cwr_role role, const struct sockaddr *peer)
{
	c->counters = alloc_percpu(struct cwr_counters);
	c->role = role;
	c->state = CWR_IDLE;
	c->since = ktime_get();
	spin_lock_init(&c->lock);
	INIT_WORK(&c->announce, cwr_connection_announce);
	if (peer)
		memcpy(&c->peer, peer, peer->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) :
								     sizeof(struct sockaddr_in));
	mutex_lock(&lock);
	c->id = ++last_id;
	list_add_tail(&c->entry, &connections);
	mutex_unlock(&lock);
}

void cwr_connection_remove(struct cwr_connection *c)
{
	if (!c->entry.next)
		return;
	mutex_lock(&lock);
	list_del(&c->entry);
	mutex_unlock(&lock);
	c->entry.next = NULL;
	/* The owner changes it no more; the last changes are still sent. */
	flush_work(&c->announce);
	free_percpu(c->counters);
	c->counters = NULL;
}

void cwr_connection_state(struct cwr_connection *c, enum cwr_state state)
{
	unsigned long flags;
	bool was_up;

	spin_lock_irqsave(&c->lock, flags);
	was_up = c->state == CWR_CONNECTED;
	if (c->state == state) {
		spin_unlock_irqrestore(&c->lock, flags);
		return;
	}
	c->state = state;
	c->since = ktime_get();
	if (state == CWR_CONNECTING) {
		c->attempts++;
	} else if (state == CWR_CONNECTED) {
		c->attempts = 0;
		c->reconnects += c->was_connected;
		c->was_connected = true;
		c->events |= BIT(TELL_UP);
	}
	if (was_up)
		c->events |= BIT(TELL_DOWN);
	else if (state == CWR_BROKEN)
		c->events |= BIT(TELL_FAILED);
	if (c->events)
		schedule_work(&c->announce);
	spin_unlock_irqrestore(&c->lock, flags);
}

void cwr_connection_failed_with(struct cwr_connection *c, int error, const char *reason)
{
	unsigned long flags;

	spin_lock_irqsave(&c->lock, flags);
	c->error = error;
	strscpy(c->reason, reason, sizeof(c->reason));
	spin_unlock_irqrestore(&c->lock, flags);
}

void cwr_connection_retry(struct cwr_connection *c, unsigned long delay)
{
	unsigned long flags;

	spin_lock_irqsave(&c->lock, flags);
	c->retry_at = jiffies + delay;
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

int cwr_connections_each(long *from, int (*report)(void *arg, struct cwr_connection *c),
			 void *arg)
{
	struct cwr_connection *c;
	long i = 0;
	int ret = 0;

	mutex_lock(&lock);
	list_for_each_entry(c, &connections, entry) {
		if (i++ < *from)
			continue;
		ret = report(arg, c);
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
	if (!c->counters)
		return;
	for_each_possible_cpu(cpu) {
		one = per_cpu_ptr(c->counters, cpu);
		for (i = 0; i < __CWR_COUNTERS; i++)
			out->n[i] += READ_ONCE(one->n[i]);
	}
}

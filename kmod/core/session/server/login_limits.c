// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits of the server: the number of sessions and data links, in all and for one address, and the
 * number of logins that may wait for one disk.
 *
 * A login is counted from its first judgement on, until it is refused or has ended. So exports that
 * judge at the same time keep the limits together.
 */
#include <linux/module.h>

#include "../../owners/ledger_image.h"
#include "login.h"

static unsigned int max_sessions = 256;
module_param(max_sessions, uint, 0644);
MODULE_PARM_DESC(max_sessions, "sessions that may be logged in at once (at most 1024)");
static unsigned int max_sessions_host = 64;
module_param(max_sessions_host, uint, 0644);
MODULE_PARM_DESC(max_sessions_host,
		 "paths of sessions that one address may have, with those whose last commands are with the disk");
static unsigned int max_queues = 32;
module_param(max_queues, uint, 0644);
MODULE_PARM_DESC(max_queues, "data links that a path of a session may have");
static unsigned int max_links_host = 256;
module_param(max_links_host, uint, 0644);
MODULE_PARM_DESC(max_links_host, "data links that all paths of one address may have");
static unsigned int max_waiting = 64;
module_param(max_waiting, uint, 0644);
MODULE_PARM_DESC(max_waiting,
		 "logins that may wait for one disk, besides those of sessions that own it");

/* A ledger must have room for all hosts that may be logged in. */
static u32 cw_max_sessions(void)
{
	return min_t(u32, READ_ONCE(max_sessions), CW_LEDGER_HOSTS_MAX);
}

u16 cw_login_queues(const struct cw_server_session *s)
{
	return min_t(u32, s->hello.queues, max(READ_ONCE(max_queues), 1U));
}

/* @other goes before @s comes. A JOIN ends no other path. */
static bool cw_login_replaces(const struct cw_server_session *s,
			      const struct cw_server_session *other)
{
	const struct cw_owners *o = &s->core->admission.owners;
	bool same_host = !memcmp(other->hello.host, s->hello.host, CW_WIRE_UUID);

	if (other->core != s->core || s->member.join)
		return false;
	if (o->read_only)
		return same_host &&
		       !memcmp(other->hello.session, s->hello.session, CW_WIRE_UUID);
	return same_host || o->exclusive;
}

/* Sessions that count against the limits that @s has to keep. */
struct cw_login_count {
	u32 sessions; /* of all, without those that are ending; the paths of a session count once */
	/* Paths of its address. Those that end hold memory until the disk answers: they count. */
	u32 host_sessions;
	u32 host_links;
};

static struct cw_login_count cw_login_count(struct cw_server_session *s)
{
	u64 round = cw_server_paths_begin_round();
	struct cw_login_count count = {};
	struct cw_server_session *other;

	lockdep_assert_held(&cw_server_lock);
	list_for_each_entry(other, &cw_server_sessions, entry) {
		bool ending = READ_ONCE(other->state) == CW_SERVER_ENDING;

		if (other == s || !other->counted || READ_ONCE(other->refused) ||
		    (ending && !other->up) || cw_login_replaces(s, other))
			continue;
		count.sessions += !ending && (other->up || !other->member.join) &&
				  cw_server_paths_is_first(other, round);
		if (other->place.source == s->place.source) {
			count.host_sessions++;
			count.host_links += other->queues;
		}
	}
	return count;
}

/*
 * Counts the logins that came before @s and wait for the same disk. Logins of sessions that own the
 * disk already do not count.
 */
static u32 cw_login_waiting_before(const struct cw_server_session *s)
{
	const struct cw_owners *o = &s->core->admission.owners;
	const struct cw_login *m;
	u32 count = 0;

	for (m = o->members; m && m != &s->member; m = m->next)
		count += m->state == CW_LOGIN_JUDGED && !m->join && !cw_login_is_own(o, m);
	return count;
}

/* 0, or the limit that @s would break. */
static enum cw_limit cw_login_limit(struct cw_server_session *s)
{
	struct cw_login_count count = cw_login_count(s);

	if (count.host_sessions >= READ_ONCE(max_sessions_host))
		return CW_LIMIT_HOST_SESSIONS;
	if (count.host_links + s->queues > READ_ONCE(max_links_host))
		return CW_LIMIT_HOST_LINKS;
	if (s->member.join)
		return CW_LIMIT_UNSPEC;
	if (count.sessions >= cw_max_sessions())
		return CW_LIMIT_SESSIONS;
	if (!cw_login_is_own(&s->core->admission.owners, &s->member) &&
	    cw_login_waiting_before(s) >= READ_ONCE(max_waiting))
		return CW_LIMIT_WAITING;
	return CW_LIMIT_UNSPEC;
}

bool cw_login_is_limited(struct cw_server_session *s)
{
	lockdep_assert_held(&s->core->admission.lock);
	mutex_lock(&cw_server_lock);
	s->limit = cw_login_limit(s);
	s->counted = !s->limit;
	mutex_unlock(&cw_server_lock);
	return s->limit;
}

void cw_login_refuse_limit(struct cw_server_session *s)
{
	cw_server_limit(s->limit);
	switch (s->limit) {
	case CW_LIMIT_HOST_SESSIONS:
		cw_login_refuse(s, CW_REFUSED_LIMIT, 0, "%pISc has %u sessions or paths, its limit",
				&s->peer, max_sessions_host);
		break;
	case CW_LIMIT_HOST_LINKS:
		cw_login_refuse(s, CW_REFUSED_LIMIT, 0,
				"%pISc may have %u data links, and %u more are too many: attach with fewer queues",
				&s->peer, max_links_host, s->queues);
		break;
	case CW_LIMIT_WAITING:
		cw_login_refuse(s, CW_REFUSED_LIMIT, 0,
				"%u logins wait for export \"%s\" already, its limit",
				max_waiting, s->hello.export_name);
		break;
	default:
		cw_login_refuse(s, CW_REFUSED_LIMIT, 0, "the server has %u sessions, its limit",
				cw_max_sessions());
	}
}

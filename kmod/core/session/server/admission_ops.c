// SPDX-License-Identifier: GPL-2.0-only
/*
 * Carries out the requests of the state machine of an export's owners: messages to clients, ends of
 * sessions, writes of the ledger. All of it runs under the lock of the admission, in its NOIO
 * scope, and waits for no peer, disk or storage.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/timekeeping.h>

#include "admission.h"
#include "eviction.h"
#include "ledger_store.h"
#include "login.h"

static struct cw_server_session *cw_session_of(const struct cw_login *m)
{
	return container_of(m, struct cw_server_session, member);
}

static u64 cw_op_heard(const struct cw_login *m)
{
	unsigned long heard = cw_server_session_heard(cw_session_of(m));
	unsigned long now_jiffies = jiffies;
	u64 now = cw_admission_clock(), ago = 0;

	/* A message may arrive, and a tick pass, between the two. */
	if (time_after(now_jiffies, heard))
		ago = jiffies_to_msecs(now_jiffies - heard);
	return now - min(ago, now - 1);
}

static u64 cw_op_cookie(void)
{
	u64 cookie;

	do {
		get_random_bytes(&cookie, sizeof(cookie));
	} while (!cookie);
	return cookie;
}

static bool cw_op_probe(struct cw_login *m, u64 cookie)
{
	return !cw_link_probe(cw_session_of(m)->control, cookie);
}

static void cw_op_hasten(struct cw_login *m)
{
	cw_server_session_hasten(cw_session_of(m));
}

static void cw_op_end(struct cw_login *m, const char *why)
{
	struct cw_server_session *s = cw_session_of(m);

	cw_server_session_hasten(s);
	cw_server_session_end(s, "%s", why);
	/* A session that sent GOODBYE ends without FAREWELL now. */
	cw_server_session_part(s, 0);
}

struct cw_server_session *cw_server_session_of_owner(const struct cw_owners *o,
						     const struct cw_ledger_host *entry)
{
	struct cw_server_session *newest = NULL;
	unsigned long heard = 0, at;
	struct cw_login *m;

	for (m = o->members; m; m = m->next) {
		if (m->state != CW_LOGIN_LIVE || !cw_ledger_owns(entry, &m->owner))
			continue;
		at = cw_server_session_heard(cw_session_of(m));
		if (newest && !time_after(at, heard))
			continue;
		newest = cw_session_of(m);
		heard = at;
	}
	return newest;
}

static void cw_refuse_in_use(struct cw_server_session *s, const struct cw_ledger_host *by)
{
	struct cw_owners *o = &s->core->admission.owners;
	struct cw_server_session *owner = by ? cw_server_session_of_owner(o, by) : NULL;

	if (owner && !memcmp(by->host, s->hello.host, CW_WIRE_UUID))
		cw_login_refuse(s, CW_REFUSED_IN_USE, 0,
				"this machine has export \"%s\" attached already, from %pISc",
				s->hello.export_name, &owner->peer);
	else if (owner)
		cw_login_refuse(s, CW_REFUSED_IN_USE, 0,
				"export \"%s\" is exclusive and attached by %s at %pISc",
				s->hello.export_name, owner->hello.host_name, &owner->peer);
	else if (by)
		cw_login_refuse(s, CW_REFUSED_IN_USE, 0,
				"export \"%s\" is exclusive, and its owner is away",
				s->hello.export_name);
	else
		cw_login_refuse(s, CW_REFUSED_IN_USE, 0, "export \"%s\" is in use",
				s->hello.export_name);
}

static const char *cw_stale_text(const struct cw_login *m, u64 newest)
{
	if (m->join)
		return "a later connection or fence of this path exists";
	return newest ? "a newer connection of this session exists" :
			"a newer attachment of this host exists";
}

static void cw_op_refuse(struct cw_login *m, enum cw_owners_refusal refusal, u64 newest,
			 const struct cw_ledger_host *by)
{
	struct cw_server_session *s = cw_session_of(m);
	const char *name = s->hello.export_name;

	switch (refusal) {
	case CW_OWNERS_STALE:
		cw_login_refuse(s, CW_REFUSED_STALE, newest, "%s", cw_stale_text(m, newest));
		break;
	case CW_OWNERS_SUPERSEDED:
		cw_login_refuse(s, CW_REFUSED_SUPERSEDED, 0,
				"export \"%s\": another session took the place of this one", name);
		break;
	case CW_OWNERS_IN_USE:
		cw_refuse_in_use(s, by);
		break;
	case CW_OWNERS_EVICTED:
		cw_login_refuse(s, CW_REFUSED_EVICTED, 0,
				"the administrator evicted this host from export \"%s\"", name);
		break;
	case CW_OWNERS_LEDGER:
		cw_login_refuse(s, CW_REFUSED_LEDGER, 0, "the ledger of export \"%s\" %s", name,
				s->core->admission.owners.ledger.outdated ?
					"is an older copy that was put back" :
					"cannot be written");
		break;
	case CW_OWNERS_FULL:
		cw_login_refuse(s, CW_REFUSED_LIMIT, 0,
				"the ledger of export \"%s\" has no room for another host", name);
		break;
	case CW_OWNERS_LIMIT:
		cw_login_refuse_limit(s);
		break;
	case CW_OWNERS_EXPORT:
		cw_login_refuse(s, CW_REFUSED_EXPORT, 0, "export \"%s\" is being removed", name);
		break;
	case CW_OWNERS_NOT_LIVE:
		cw_join_refuse_not_live(s);
		break;
	case CW_OWNERS_NO_FENCE:
		cw_login_refuse(s, CW_REFUSED_STALE, 0,
				"no fence announced this connection of the path in time");
		break;
	}
}

static bool cw_op_limited(struct cw_login *m)
{
	return cw_login_is_limited(cw_session_of(m));
}

static void cw_op_welcome(struct cw_login *m)
{
	/* Otherwise the control link may be gone: then the session is away. */
	if (m->state == CW_LOGIN_LIVE)
		cw_login_welcome(cw_session_of(m));
}

static void cw_op_fenced(struct cw_login *m, u8 path, u64 epoch)
{
	cw_fence_answer(cw_session_of(m), path, epoch);
}

static void cw_op_farewell(struct cw_login *m)
{
	cw_server_session_farewell(cw_session_of(m));
}

static int cw_op_write(struct cw_owners *o, const struct cw_ledger *ledger)
{
	struct cw_admission *a = container_of(o, struct cw_admission, owners);

	if (!a->store)
		return a->on_storage ? -EIO : 0; /* the files are closed; or there are none */
	cw_ledger_store_write(a->store, ledger);
	return -EINPROGRESS;
}

static void cw_op_release(struct cw_login *m)
{
	cw_server_session_put(cw_session_of(m));
}

static u64 cw_op_seconds(void)
{
	return ktime_get_real_seconds();
}

const struct cw_owners_ops cw_admission_ops = {
	.heard = cw_op_heard,
	.cookie = cw_op_cookie,
	.probe = cw_op_probe,
	.end = cw_op_end,
	.hasten = cw_op_hasten,
	.refuse = cw_op_refuse,
	.limited = cw_op_limited,
	.welcome = cw_op_welcome,
	.fenced = cw_op_fenced,
	.farewell = cw_op_farewell,
	.write = cw_op_write,
	.completed = cw_eviction_completed,
	.release = cw_op_release,
	.seconds = cw_op_seconds,
};

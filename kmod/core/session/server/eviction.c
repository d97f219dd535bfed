// SPDX-License-Identifier: GPL-2.0-only
/*
 * Evictions and readmissions, as an administrator asks for them.
 *
 * A request belongs to the machine until the machine has completed it. Each caller that waits for
 * it has a reference. A caller that gave up and asks again finds the same request, as long as it is
 * not done. The machine answers a request that was done before at once.
 */
#include <linux/completion.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/kref.h>
#include <linux/slab.h>

#include "admission.h"
#include "eviction.h"
#include "session.h"

#define CW_EVICTION_WAIT (2 * HZ)

struct cw_eviction {
	struct cw_owners_request request; /* the machine's until it was completed */
	struct kref users;
	struct list_head entry; /* of the admission, under its lock; until it was completed */
	struct completion done;
	int error; /* before done */
};

static void cw_eviction_free(struct kref *users)
{
	kfree(container_of(users, struct cw_eviction, users));
}

static void cw_eviction_put(struct cw_eviction *e)
{
	kref_put(&e->users, cw_eviction_free);
}

void cw_eviction_completed(struct cw_owners_request *request, int error)
{
	struct cw_eviction *e = container_of(request, struct cw_eviction, request);

	list_del_init(&e->entry);
	e->error = error;
	complete_all(&e->done);
	cw_eviction_put(e); /* the machine's */
}

/*
 * The same request, if it is not done and none for the same host came behind it. An eviction that
 * comes after a readmission is another one.
 */
static struct cw_eviction *cw_eviction_find(struct cw_admission *a, const u8 *host, bool readmit)
{
	struct cw_eviction *e;

	lockdep_assert_held(&a->lock);
	list_for_each_entry_reverse(e, &a->evictions, entry)
		if (cw_same_uuid(e->request.host, host))
			return e->request.readmit == readmit ? e : NULL;
	return NULL;
}

/*
 * Returns the request with a reference for the caller; NULL: the export has been removed. @made is
 * used up when there was no such request.
 */
static struct cw_eviction *cw_eviction_submit(struct cw_admission *a, struct cw_eviction **made)
{
	unsigned int noio = cw_admission_begin(a);
	const struct cw_owners_request *request = &(*made)->request;
	struct cw_eviction *e = cw_eviction_find(a, request->host, request->readmit);

	if (e) {
		kref_get(&e->users);
	} else if (!a->over) {
		e = *made;
		*made = NULL;
		kref_get(&e->users); /* the machine's */
		list_add_tail(&e->entry, &a->evictions);
		cw_owners_submit(&a->owners, &e->request, a->now);
	}
	cw_admission_end(a, noio);
	return e;
}

int cw_server_evict(struct cw_server_export *x, const u8 host[CW_WIRE_UUID], bool readmit)
{
	struct cw_eviction *e, *made = kzalloc(sizeof(*made), GFP_KERNEL);
	int ret;

	if (!made)
		return -ENOMEM;
	kref_init(&made->users);
	init_completion(&made->done);
	memcpy(made->request.host, host, CW_WIRE_UUID);
	made->request.readmit = readmit;
	e = cw_eviction_submit(&x->admission, &made);
	kfree(made);
	if (!e)
		return -ENOENT;
	ret = wait_for_completion_timeout(&e->done, CW_EVICTION_WAIT) ? e->error : -EINPROGRESS;
	cw_eviction_put(e);
	return ret;
}
EXPORT_SYMBOL_GPL(cw_server_evict);

bool cw_server_owner(struct cw_server_export *x, u32 index, struct cw_server_owner *out)
{
	const struct cw_owners *o = &x->admission.owners;
	const struct cw_ledger_host *entry;
	struct cw_server_session *s;
	bool found;

	memset(out, 0, sizeof(*out));
	mutex_lock(&x->admission.lock);
	found = index < o->ledger.count;
	if (!found)
		goto out;
	entry = &o->ledger.hosts[index];
	memcpy(out->host, entry->host, CW_WIRE_UUID);
	memcpy(out->boot, entry->boot, CW_WIRE_UUID);
	memcpy(out->session, entry->session, CW_WIRE_UUID);
	out->serial = entry->serial;
	out->newest = entry->newest;
	out->seen = entry->seen;
	out->owner = cw_ledger_is_owner(entry);
	out->evicted = entry->evicted;
	s = cw_server_session_of_owner(o, entry);
	if (s) {
		out->live = true;
		out->peer = s->peer;
		strscpy(out->host_name, s->hello.host_name, sizeof(out->host_name));
	}
out:
	mutex_unlock(&x->admission.lock);
	return found;
}
EXPORT_SYMBOL_GPL(cw_server_owner);

bool cw_server_ledger(struct cw_server_export *x, struct cw_server_ledger *out)
{
	struct cw_admission *a = &x->admission;
	bool found = !a->owners.read_only;

	memset(out, 0, sizeof(*out));
	mutex_lock(&a->lock);
	memcpy(out->uuid, a->owners.ledger.uuid, CW_WIRE_UUID);
	out->hosts = a->owners.ledger.count;
	out->hosts_max = a->owners.ledger.room;
	out->takeover_after = a->owners.takeover_after;
	out->on_storage = a->on_storage;
	out->outdated = a->owners.ledger.outdated;
	out->error = a->owners.repair ? a->ledger_error : 0;
	mutex_unlock(&a->lock);
	return found;
}
EXPORT_SYMBOL_GPL(cw_server_ledger);

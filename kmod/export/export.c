// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exports: their table, and the operations that the core calls for one.
 *
 * References: the table has one, from publishing until the export is gone; each session and each
 * login in progress has one; each look-up takes one. The last put queues a work that frees the
 * struct, because the put may come from a work on the export's own queue. The end of the export
 * (shutdown.c) closes the backend earlier, when no command and no session is left.
 *
 * The table also has exports that are ending, so that administrators see them. Clients do not find
 * them.
 *
 * Every command reads the geometry and the size watch replaces it, so it is protected by RCU.
 */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../core/netlink/netlink.h"
#include "backend.h"

static DEFINE_MUTEX(table_lock);
static LIST_HEAD(table); /* by id; under table_lock */
static u32 last_id;
static atomic_t cwt_export_total; /* allocated and not freed yet */
static DECLARE_WAIT_QUEUE_HEAD(cwt_export_freed);

/* ---- life ---- */

/* No command is left: queues the end. Any context. */
static void cwt_export_idle(struct percpu_ref *ref)
{
	struct cwt_export *e = container_of(ref, struct cwt_export, running);

	queue_work(e->wq, &e->end);
}

static void cwt_export_free(struct work_struct *work)
{
	struct cwt_export *e = container_of(work, struct cwt_export, release);
	bool pinned = e->pinned;

	WARN_ON_ONCE(e->open);
	if (e->wq)
		destroy_workqueue(e->wq); /* the last work on it may still be returning */
	cwt_reserve_free(e);
	cw_server_export_put(e->core);
	percpu_ref_exit(&e->running);
	kfree(rcu_dereference_protected(e->geometry, true));
	kfree(e->path);
	kfree(e->ledger_folder);
	kfree_sensitive(e);
	/* The module stays loaded: cwt_exit() waits for this work. */
	if (pinned)
		module_put(THIS_MODULE);
	if (atomic_dec_and_test(&cwt_export_total))
		wake_up_all(&cwt_export_freed);
}

void cwt_export_await_freed(void)
{
	wait_event(cwt_export_freed, !atomic_read(&cwt_export_total));
}

struct cwt_export *cwt_export_alloc(void)
{
	struct cwt_export *e = kzalloc(sizeof(*e), GFP_KERNEL);

	if (!e)
		return NULL;
	if (percpu_ref_init(&e->running, cwt_export_idle, 0, GFP_KERNEL)) {
		kfree(e);
		return NULL;
	}
	INIT_LIST_HEAD(&e->entry);
	kref_init(&e->refs);
	mutex_init(&e->lock);
	init_rwsem(&e->access_lock);
	spin_lock_init(&e->end_lock);
	init_completion(&e->gone);
	INIT_WORK(&e->end, cwt_export_end_work);
	INIT_WORK(&e->release, cwt_export_free);
	atomic_inc(&cwt_export_total);
	return e;
}

static void cwt_export_release(struct kref *refs)
{
	struct cwt_export *e = container_of(refs, struct cwt_export, refs);

	queue_work(cwt_slow_wq, &e->release);
}

void cwt_export_get(struct cwt_export *e)
{
	kref_get(&e->refs);
}

void cwt_export_put(struct cwt_export *e)
{
	kref_put(&e->refs, cwt_export_release);
}

/* ---- geometry ---- */

/* The properties of the backend, without those that the options of the administrator exclude. */
static void cwt_export_describe(struct cwt_export *e, struct cw_geometry *geo)
{
	memset(geo, 0, sizeof(*geo));
	e->backend->describe(e, geo);
	if (e->exclusive)
		geo->flags |= CW_EXPORT_EXCLUSIVE;
	if (e->write_through)
		geo->flags &= ~CW_EXPORT_VOLATILE;
	if (!e->read_only && !(geo->flags & CW_EXPORT_READ_ONLY)) {
		geo->flags |= CW_EXPORT_FUA;
		if (!e->refuses_writes)
			return;
	} else {
		geo->flags &= ~CW_EXPORT_VOLATILE;
	}
	/* A disk that refuses writes for now keeps VOLATILE: earlier writes are still flushed. */
	geo->flags &= ~(CW_EXPORT_DISCARD | CW_EXPORT_WRITE_ZEROES);
	geo->flags |= CW_EXPORT_READ_ONLY;
	geo->discard_max = 0;
	geo->discard_granularity = 0;
	geo->discard_ranges = 0;
	geo->zeroes_max = 0;
}

/* True if a client would accept this geometry. */
static bool cwt_geometry_fit(const struct cw_geometry *geo)
{
	struct cw_wire_geometry wire;
	struct cw_geometry out;

	cw_pack_geometry(&wire, geo);
	return !cw_parse_geometry(&wire, &out);
}

bool cwt_export_refresh(struct cwt_export *e, struct cw_geometry *geo)
{
	struct cwt_geometry *old, *new;

	lockdep_assert_held(&e->lock);
	cwt_export_describe(e, geo);
	old = rcu_dereference_protected(e->geometry, lockdep_is_held(&e->lock));
	if (old && !memcmp(&old->geo, geo, sizeof(*geo)))
		return false;
	if (!cwt_geometry_fit(geo))
		return false;
	new = kmalloc(sizeof(*new), GFP_KERNEL);
	if (!new)
		return false;
	new->geo = *geo;
	rcu_assign_pointer(e->geometry, new);
	if (old)
		kfree_rcu(old, rcu);
	return true;
}

void cwt_export_geometry(struct cwt_export *e, struct cw_geometry *geo)
{
	rcu_read_lock();
	*geo = rcu_dereference(e->geometry)->geo;
	rcu_read_unlock();
}

/* ---- open, publish, and their reverse ---- */

static int cwt_export_make_core(struct cwt_export *e, struct netlink_ext_ack *extack)
{
	const struct cw_server_export_config config = {
		.name = e->name,
		.identity = e->identity,
		.exclusive = e->exclusive,
		.read_only = e->read_only,
		.takeover_after = e->takeover_after,
		.ledger = e->ledger_folder ? e->ledger : NULL,
		.ledger_folder = e->ledger_folder,
	};
	struct cw_server_export *core = cw_server_export_make(&config, extack);

	if (IS_ERR(core))
		return PTR_ERR(core);
	e->core = core;
	return 0;
}

/*
 * A disk that an administrator has made read-only may be write-protected at the next start. Its
 * clients can still read it.
 */
static int cwt_export_open_backend(struct cwt_export *e, struct netlink_ext_ack *extack)
{
	int ret = e->backend->open(e, e->refuses_writes ? NULL : extack);

	if (!ret || !e->refuses_writes)
		return ret;
	e->opened_for_reading = ret == -EROFS || ret == -EACCES || ret == -EPERM;
	return e->backend->open(e, extack);
}

int cwt_export_open(struct cwt_export *e, struct netlink_ext_ack *extack)
{
	struct cw_geometry geo;
	int ret;

	lockdep_assert_held(&cwt_admin);
	/* WQ_MEM_RECLAIM: a client on this machine may need this queue to get memory. */
	e->wq = alloc_workqueue("causeway_%s", WQ_MEM_RECLAIM | WQ_UNBOUND, 0, e->name);
	if (!e->wq || cwt_reserve_make(e))
		return -ENOMEM;
	ret = cwt_export_make_core(e, extack);
	if (ret)
		return ret;
	ret = cwt_export_open_backend(e, extack);
	if (ret) {
		cw_server_export_close(e->core);
		return ret;
	}
	mutex_lock(&e->lock);
	e->open = true;
	if (!cwt_export_refresh(e, &geo))
		ret = -EINVAL;
	mutex_unlock(&e->lock);
	if (!ret)
		return 0;
	cw_refuse(extack, "%s has a shape that no disk has: %llu bytes in blocks of %u (%u)",
		  e->path ?: e->name, geo.size, geo.logical_block, geo.physical_block);
	cw_server_export_close(e->core);
	cwt_export_close(e);
	return ret;
}

void cwt_export_close(struct cwt_export *e)
{
	mutex_lock(&e->lock); /* excludes the size watch */
	e->open = false;
	e->backend->close(e);
	mutex_unlock(&e->lock);
}

void cwt_export_publish(struct cwt_export *e)
{
	lockdep_assert_held(&cwt_admin);
	mutex_lock(&table_lock);
	e->id = ++last_id;
	list_add_tail(&e->entry, &table);
	mutex_unlock(&table_lock);
}

void cwt_export_unlist(struct cwt_export *e)
{
	mutex_lock(&table_lock);
	list_del_init(&e->entry);
	mutex_unlock(&table_lock);
}

struct cwt_export *cwt_export_find(const char *name)
{
	struct cwt_export *e, *found = NULL;

	mutex_lock(&table_lock);
	list_for_each_entry(e, &table, entry) {
		if (!strcmp(e->name, name)) {
			cwt_export_get(e);
			found = e;
			break;
		}
	}
	mutex_unlock(&table_lock);
	return found;
}

struct cwt_export *cwt_export_after(u32 id)
{
	struct cwt_export *e, *found = NULL;

	mutex_lock(&table_lock);
	list_for_each_entry(e, &table, entry) {
		if (e->id > id) {
			cwt_export_get(e);
			found = e;
			break;
		}
	}
	mutex_unlock(&table_lock);
	return found;
}

/* ---- operations for the core ---- */

static void *cwt_ops_get(const char *name)
{
	struct cwt_export *e = cwt_export_find(name);

	if (!e || !cwt_export_is_ending(e))
		return e;
	cwt_export_put(e);
	return NULL;
}

static void cwt_ops_put(void *export)
{
	cwt_export_put(export);
}

static struct cw_server_export *cwt_ops_core(void *export)
{
	return ((struct cwt_export *)export)->core;
}

static bool cwt_ops_allows(void *export, const struct sockaddr *peer)
{
	return cwt_export_allows(export, peer);
}

static bool cwt_ops_over_tcp(void *export)
{
	return cwt_export_over_tcp(export);
}

static size_t cwt_ops_key(void *export, u8 key[64])
{
	return cwt_export_key(export, key);
}

static void cwt_ops_describe(void *export, u8 identity[CW_WIRE_UUID], struct cw_geometry *geo)
{
	struct cwt_export *e = export;

	memcpy(identity, e->identity, CW_WIRE_UUID);
	cwt_export_geometry(e, geo);
}

static void cwt_ops_instance(void *export, u8 instance[CW_WIRE_UUID])
{
	cwt_loss_mask(export, instance);
}

static const char *cwt_ops_name(void *export)
{
	return ((struct cwt_export *)export)->name;
}

static void cwt_export_tell(struct cwt_export *e, struct cw_export_info *out)
{
	struct cw_geometry geo;

	cwt_export_geometry(e, &geo);
	memset(out, 0, sizeof(*out));
	strscpy(out->name, e->name, sizeof(out->name));
	memcpy(out->identity, e->identity, sizeof(out->identity));
	out->size = geo.size;
	out->logical_block = geo.logical_block;
	out->flags = geo.flags;
	cwt_export_list_access(e, out);
}

static int cwt_ops_list(const struct sockaddr *peer, u32 first, struct cw_export_info *out, int max,
			u32 *more)
{
	struct cwt_export *e;
	u32 seen = 0;
	int n = 0;

	mutex_lock(&table_lock);
	list_for_each_entry(e, &table, entry) {
		if (cwt_export_is_ending(e) || !cwt_export_allows(e, peer) || seen++ < first)
			continue;
		if (n < max)
			cwt_export_tell(e, &out[n++]);
	}
	mutex_unlock(&table_lock);
	*more = seen > first ? seen - first - n : 0;
	return n;
}

const struct cw_server_ops cwt_server_ops = {
	.export_get = cwt_ops_get,
	.export_put = cwt_ops_put,
	.export_core = cwt_ops_core,
	.export_allows = cwt_ops_allows,
	.export_over_tcp = cwt_ops_over_tcp,
	.export_key = cwt_ops_key,
	.export_describe = cwt_ops_describe,
	.export_instance = cwt_ops_instance,
	.export_name = cwt_ops_name,
	.export_list = cwt_ops_list,
	.link_init = cwt_link_init,
	.link_exit = cwt_link_exit,
	.link_commands = cwt_link_commands,
	.handler = {
		.message = cwt_message,
		.room = cwt_link_room,
	},
};

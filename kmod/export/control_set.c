// SPDX-License-Identifier: GPL-2.0-only
/*
 * The netlink command that changes settings of an export which may have sessions.
 *
 * The request is read and the TCP port is opened first. Then the core looks for sessions that the
 * new settings do not admit, and replaces the settings, without a login in between that becomes a
 * session. A login joins its export before it reads the settings. So a login that the core does not
 * find reads the new ones.
 */
#include <linux/slab.h>

#include "../core/session/server/eviction.h"
#include "control.h"
#include "export.h"

static void cwt_set_access(struct cwt_export *e, const struct cwt_access *access)
{
	down_write(&e->access_lock);
	e->access = *access;
	up_write(&e->access_lock);
}

struct cwt_access_change {
	struct cwt_export *e;
	const struct cwt_access *access;
};

static bool cwt_change_admits(const void *context, const struct sockaddr *peer, bool tcp)
{
	const struct cwt_access_change *change = context;

	return cwt_access_admits(change->access, peer, tcp);
}

static void cwt_change_publish(const void *context)
{
	const struct cwt_access_change *change = context;

	cwt_set_access(change->e, change->access);
}

/*
 * Replaces who may attach the export; if @only_asks, only finds out whether that is refused.
 * Returns how many connections were ended, or -EBUSY, and then nothing has changed.
 */
static int cwt_change_access(struct cwt_export *e, const struct cwt_change *change, bool only_asks,
			     struct netlink_ext_ack *extack)
{
	const struct cwt_access_change context = { .e = e, .access = &change->access };
	const struct cw_server_change request = {
		.admits = cwt_change_admits,
		.publish = cwt_change_publish,
		.context = &context,
		.force = change->force,
		.why = "the settings of the export do not admit the client any more",
	};
	char left[160];
	u32 count;

	if (only_asks) {
		count = cw_server_excluded(e->core, &request, left, sizeof(left));
		if (!count || change->force)
			return 0;
	} else if (cw_server_change_settings(e->core, &request, &count, left, sizeof(left))) {
		return count;
	}
	cw_refuse(extack,
		  "export \"%s\" is in use by %u connection%s that the new settings do not admit (%s); to end %s, repeat the command with --force",
		  e->name, count, count == 1 ? "" : "s", left, count == 1 ? "it" : "them");
	return -EBUSY;
}

/* Publishes whether clients may write. Returns 0 or -ENOMEM. */
static int cwt_change_read_only(struct cwt_export *e, bool read_only)
{
	struct cw_geometry geo;
	bool was;
	int ret = 0;

	mutex_lock(&e->lock);
	was = e->refuses_writes;
	WRITE_ONCE(e->refuses_writes, read_only);
	cwt_export_announce(e);
	cwt_export_geometry(e, &geo);
	if (read_only && !(geo.flags & CW_EXPORT_READ_ONLY)) {
		WRITE_ONCE(e->refuses_writes, was);
		ret = -ENOMEM;
	}
	mutex_unlock(&e->lock);
	return ret;
}

/*
 * The change with the stricter effect comes first: a client that only the new settings admit never
 * writes to an export that becomes read-only with them. Returns how many connections were ended, or
 * -errno, and then no setting has changed.
 */
static int cwt_change_both(struct cwt_export *e, const struct cwt_change *change,
			   struct netlink_ext_ack *extack)
{
	bool changes = change->what & CW_CHANGE_READ_ONLY && !e->read_only &&
		       change->read_only != e->refuses_writes;
	int ret = 0, count;

	if (changes && change->read_only) {
		ret = cwt_change_access(e, change, true, extack);
		if (!ret)
			ret = cwt_change_read_only(e, true);
	}
	if (ret)
		return ret;
	count = cwt_change_access(e, change, false, extack);
	if (!changes)
		return count;
	/* A client may have logged in since it was asked for. */
	if (count < 0 && change->read_only)
		cwt_change_read_only(e, false);
	if (count >= 0 && !change->read_only)
		cwt_change_read_only(e, false);
	return count;
}

/* Returns how many connections were ended, or -errno, and then no setting has changed. */
static int cwt_change(struct cwt_export *e, struct cwt_change *change,
		      struct netlink_ext_ack *extack)
{
	int ret;

	lockdep_assert_held(&cwt_admin);
	ret = change->access.tcp ? cwt_listen_tcp(extack) : 0;
	if (!ret)
		ret = cwt_change_both(e, change, extack);
	if (ret >= 0) {
		if (change->what & CW_CHANGE_TAKEOVER_AFTER) {
			e->takeover_after = change->takeover_after;
			cw_server_set_takeover(e->core, change->takeover_after);
		}
		cw_event(CW_EVENT_EXPORT_CHANGED, CW_ROLE_SERVER, NULL, e->name,
			 "settings of export %s were changed", e->name);
	}
	cwt_close_unused_tcp();
	return ret;
}

static int cwt_export_set(struct genl_info *info, const char *name)
{
	struct cwt_change *change;
	struct cwt_export *e;
	int ret;

	change = kzalloc(sizeof(*change), GFP_KERNEL);
	if (!change)
		return -ENOMEM;
	mutex_lock(&cwt_admin);
	e = cwt_export_wanted(name, info->extack);
	if (!e) {
		ret = -ENOENT;
	} else if (cwt_export_is_ending(e)) {
		cw_refuse(info->extack, "export \"%s\" is being removed", name);
		ret = -EALREADY;
	} else {
		ret = cwt_read_change(info, e, change);
		if (!ret)
			ret = cwt_change(e, change, info->extack);
	}
	mutex_unlock(&cwt_admin);
	if (e)
		cwt_export_put(e);
	kfree_sensitive(change);
	return ret;
}

int cwt_export_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	char name[CW_WIRE_NAME];
	struct sk_buff *msg;
	void *hdr;
	int ret;

	ret = cwt_read_name(info, name);
	if (ret)
		return ret;
	/* Allocated before anything is changed. */
	msg = cw_reply_start(info, CW_C_EXPORT_SET, &hdr);
	if (!msg)
		return -ENOMEM;
	ret = cwt_export_set(info, name);
	if (ret < 0 || WARN_ON_ONCE(nla_put_u32(msg, CW_A_SESSIONS, ret))) {
		nlmsg_free(msg);
		return min(ret, 0);
	}
	return cw_reply_send(msg, hdr, info);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink commands for one export: add, remove, get. control_set.c has set.
 *
 * Adding reads and checks the whole request first (control_request.c). Then the backend is opened
 * and the server listens, and only after that the export is put into the table. A refusal leaves
 * everything as it was.
 */
#include "../core/session/server/eviction.h"
#include "control.h"
#include "export.h"

/* ---- add ---- */

/* Seconds since the end of @e began. */
static unsigned int cwt_ending_for(const struct cwt_export *e)
{
	return (jiffies - e->closing_since) / HZ;
}

static int cwt_listen_rdma(struct netlink_ext_ack *extack)
{
	int ret = cw_server_listen(cwt_port());

	if (ret == -EADDRINUSE)
		cw_refuse(extack,
			  "port %u is in use by another RDMA service: see `rdma resource show cm_id`",
			  cwt_port());
	else if (ret)
		cw_refuse(extack, "listening on port %u failed (error %d)", cwt_port(), -ret);
	return ret;
}

int cwt_listen_tcp(struct netlink_ext_ack *extack)
{
	u16 port = cwt_port() + 1;
	int ret;

	if (!port) {
		cw_refuse(extack,
			  "the port of TCP is the one after that of RDMA, and there is none after %u",
			  cwt_port());
		return -EINVAL;
	}
	ret = cw_server_listen_tcp(port);
	if (ret == -EADDRINUSE)
		cw_refuse(extack, "TCP port %u is in use by another program: see `ss -ltnp`",
			  port);
	else if (ret)
		cw_refuse(extack, "listening on TCP port %u failed (error %d)", port, -ret);
	return ret;
}

void cwt_close_unused_tcp(void)
{
	struct cwt_export *e;
	bool used = false;
	u32 id = 0;

	lockdep_assert_held(&cwt_admin);

	while (!used && (e = cwt_export_after(id))) {
		id = e->id;
		used = e->access.tcp && !cwt_export_is_ending(e);
		cwt_export_put(e);
	}
	if (!used)
		cw_server_close_tcp();
}

/* The RDMA port stays until the module is unloaded, so it comes last. Under cwt_admin. */
static int cwt_listen(const struct cwt_export *e, struct netlink_ext_ack *extack)
{
	int ret = e->access.tcp ? cwt_listen_tcp(extack) : 0;

	if (ret)
		return ret;
	ret = cwt_listen_rdma(extack);
	if (ret && e->access.tcp)
		cwt_close_unused_tcp();
	return ret;
}

/*
 * Refuses if the name of @e is in use, or if an export that is ending still has the name or the
 * path of @e.
 */
static int cwt_export_conflicts(const struct cwt_export *e, struct netlink_ext_ack *extack)
{
	struct cwt_export *other;
	int ret = 0;
	u32 id = 0;

	while (!ret && (other = cwt_export_after(id))) {
		bool ending = cwt_export_is_ending(other);
		bool same_name = !strcmp(other->name, e->name);

		id = other->id;
		if (ending && (same_name || (e->path && other->path &&
					     !strcmp(other->path, e->path)))) {
			cw_refuse(extack,
				  "export \"%s\" is still ending, since %u s ago: %s has not answered yet; it can be exported again when `causeway export list` does not show the old export any more",
				  other->name, cwt_ending_for(other),
				  other->path ?: "its memory");
			ret = -EAGAIN;
		} else if (same_name) {
			cw_refuse(extack,
				  "export \"%s\" is taken; another name is free, or `causeway export remove %s` comes first",
				  e->name, e->name);
			ret = -EEXIST;
		}
		cwt_export_put(other);
	}
	return ret;
}

/* Opens and publishes @e. If it returns 0, the table owns the reference. Under cwt_admin. */
static int cwt_export_admit(struct cwt_export *e, struct netlink_ext_ack *extack)
{
	int ret;

	if (cwt_is_stopping()) {
		cw_refuse(extack,
			  "the server is being stopped; export \"%s\" can be added after that",
			  e->name);
		return -EAGAIN;
	}
	ret = cwt_export_conflicts(e, extack);
	if (ret)
		return ret;
	ret = cwt_export_open(e, extack);
	if (ret)
		return ret;
	ret = cwt_listen(e, extack);
	if (ret) {
		cw_server_export_close(e->core);
		cwt_export_close(e);
		return ret;
	}
	cwt_export_publish(e);
	cwt_size_watch_start();
	cw_event(CW_EVENT_EXPORT_ADDED, CW_ROLE_SERVER, NULL, e->name, "export %s is there",
		 e->name);
	return 0;
}

int cwt_export_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct cwt_export *e;
	int ret;

	e = cwt_export_alloc();
	if (!e)
		return -ENOMEM;
	ret = cwt_read_export(info, e);
	if (!ret) {
		mutex_lock(&cwt_admin);
		ret = cwt_export_admit(e, info->extack);
		mutex_unlock(&cwt_admin);
	}
	if (ret)
		cwt_export_put(e);
	return ret;
}

struct cwt_export *cwt_export_wanted(const char *name, struct netlink_ext_ack *extack)
{
	struct cwt_export *e = cwt_export_find(name);

	if (!e)
		cw_refuse(extack,
			  "there is no export \"%s\"; `causeway export list` lists the exports",
			  name);
	return e;
}

/* ---- remove ---- */

/* Under cwt_admin. */
static int cwt_remove(struct cwt_export *e, bool force, struct netlink_ext_ack *extack)
{
	u32 sessions = cw_server_session_count(e->core);
	int ret;

	if (cwt_export_is_ending(e)) {
		cw_refuse(extack,
			  "export \"%s\" is being removed already, since %u s ago; it goes when its disk has answered",
			  e->name, cwt_ending_for(e));
		return -EALREADY;
	}
	if (sessions && !force) {
		cw_refuse(extack,
			  "export \"%s\" is attached by %u client%s; `causeway export remove %s --force` takes it away from them",
			  e->name, sessions, sessions == 1 ? "" : "s", e->name);
		return -EBUSY;
	}
	ret = cwt_export_begin_end(e, CWT_REMOVING);
	if (e->access.tcp)
		cwt_close_unused_tcp();
	return ret;
}

/* Waits for the end and puts the result into the reply: flushed, or what happened instead. */
static int cwt_put_end(struct sk_buff *msg, struct cwt_export *e)
{
	char text[CWT_TEXT];

	if (cwt_export_await_end(e, text))
		return nla_put_flag(msg, CW_A_CLEAN);
	return nla_put_string(msg, CW_A_TEXT, text);
}

int cwt_export_remove_doit(struct sk_buff *skb, struct genl_info *info)
{
	char name[CW_WIRE_NAME];
	struct cwt_export *e;
	struct sk_buff *msg;
	void *hdr;
	int ret;

	ret = cwt_read_name(info, name);
	if (ret)
		return ret;
	/* Allocated before anything is ended. */
	msg = cw_reply_start(info, CW_C_EXPORT_REMOVE, &hdr);
	if (!msg)
		return -ENOMEM;
	mutex_lock(&cwt_admin);
	e = cwt_export_wanted(name, info->extack);
	ret = e ? cwt_remove(e, nla_get_flag(info->attrs[CW_A_FORCE]), info->extack) : -ENOENT;
	mutex_unlock(&cwt_admin);
	ret = ret ?: cwt_put_end(msg, e);
	if (e)
		cwt_export_put(e);
	if (!ret)
		return cw_reply_send(msg, hdr, info);
	nlmsg_free(msg);
	return ret;
}

/* ---- get ---- */

static int cwt_put_flag(struct sk_buff *msg, int attr, bool set)
{
	return set ? nla_put_flag(msg, attr) : 0;
}

static int cwt_put_geometry(struct sk_buff *msg, const struct cw_geometry *geo)
{
	if (nla_put_u64_64bit(msg, CW_A_SIZE, geo->size, CW_A_PAD) ||
	    nla_put_u32(msg, CW_A_BLOCK_SIZE, geo->logical_block) ||
	    nla_put_u32(msg, CW_A_PHYSICAL_BLOCK, geo->physical_block) ||
	    cwt_put_flag(msg, CW_A_READ_ONLY, geo->flags & CW_EXPORT_READ_ONLY) ||
	    cwt_put_flag(msg, CW_A_VOLATILE, geo->flags & CW_EXPORT_VOLATILE) ||
	    cwt_put_flag(msg, CW_A_DISCARD, geo->flags & CW_EXPORT_DISCARD) ||
	    cwt_put_flag(msg, CW_A_WRITE_ZEROES, geo->flags & CW_EXPORT_WRITE_ZEROES))
		return -EMSGSIZE;
	return 0;
}

/* If @e is ending, puts that state and its duration. */
static int cwt_put_state(struct sk_buff *msg, const struct cwt_export *e)
{
	if (!cwt_export_is_ending(e))
		return 0;
	return nla_put_u8(msg, CW_A_STATE, CW_STATE_CLOSING) ?:
	       nla_put_u64_64bit(msg, CW_A_SINCE, (u64)cwt_ending_for(e) * NSEC_PER_SEC, CW_A_PAD);
}

static int cwt_put_ledger(struct sk_buff *msg, struct cwt_export *e, bool secrets)
{
	struct cw_server_ledger ledger;
	char text[64];

	if (!cw_server_ledger(e->core, &ledger))
		return 0;
	if (nla_put_u32(msg, CW_A_TAKEOVER_AFTER, ledger.takeover_after) ||
	    nla_put_u32(msg, CW_A_HOSTS, ledger.hosts) ||
	    nla_put_u32(msg, CW_A_HOSTS_MAX, ledger.hosts_max) ||
	    cwt_put_flag(msg, CW_A_OUTDATED, ledger.outdated))
		return -EMSGSIZE;
	scnprintf(text, sizeof(text), "the ledger cannot be written (error %d)", -ledger.error);
	if (ledger.error && nla_put_string(msg, CW_A_REASON, text))
		return -EMSGSIZE;
	if (secrets && ledger.on_storage &&
	    (nla_put(msg, CW_A_LEDGER, CW_WIRE_UUID, ledger.uuid) ||
	     nla_put_string(msg, CW_A_LEDGER_FOLDER, e->ledger_folder)))
		return -EMSGSIZE;
	return 0;
}

static int cwt_put_export(struct sk_buff *msg, void *object, bool secrets)
{
	struct cwt_export *e = object;
	struct cw_geometry geo;

	cwt_export_geometry(e, &geo);
	if (nla_put_string(msg, CW_A_NAME, e->name) ||
	    nla_put_u8(msg, CW_A_BACKEND, e->kind) ||
	    (secrets && e->path && nla_put_string(msg, CW_A_PATH, e->path)) ||
	    (secrets && nla_put(msg, CW_A_IDENTITY, CW_WIRE_UUID, e->identity)) ||
	    nla_put_u32(msg, CW_A_SESSIONS, cw_server_session_count(e->core)) ||
	    cwt_put_state(msg, e) ||
	    cwt_put_flag(msg, CW_A_EXCLUSIVE, e->exclusive) ||
	    cwt_put_flag(msg, CW_A_WRITE_THROUGH, e->write_through) ||
	    nla_put_u8(msg, CW_A_READ_ONLY_SET, e->read_only || READ_ONCE(e->refuses_writes)) ||
	    cwt_put_ledger(msg, e, secrets) ||
	    cwt_put_geometry(msg, &geo))
		return -EMSGSIZE;
	return cwt_export_put_access(msg, e, secrets);
}

int cwt_export_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	char name[CW_WIRE_NAME];
	struct cwt_export *e;
	struct sk_buff *msg;
	void *hdr;
	int ret;

	ret = cwt_read_name(info, name);
	if (ret)
		return ret;
	e = cwt_export_find(name);
	if (!e) {
		cw_refuse(info->extack, "there is no export \"%s\"", name);
		return -ENOENT;
	}
	msg = cw_reply_start(info, CW_C_EXPORT_GET, &hdr);
	ret = msg ? cwt_put_export(msg, e, cw_may_see_secrets(skb)) : -ENOMEM;
	cwt_export_put(e);
	if (!ret)
		return cw_reply_send(msg, hdr, info);
	nlmsg_free(msg);
	return ret;
}

/* cb->args[0]: the id of the last export in the dump. */
int cwt_export_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *filter = nlmsg_find_attr(cb->nlh, GENL_HDRLEN, CW_A_NAME);
	struct cwt_export *e;
	int ret = 0;

	while (!ret && (e = cwt_export_after(cb->args[0]))) {
		if (!filter || !nla_strcmp(filter, e->name))
			ret = cw_dump_object(skb, cb, CW_C_EXPORT_GET, cwt_put_export, e);
		if (!ret)
			cb->args[0] = e->id;
		cwt_export_put(e);
	}
	return cw_dump_result(skb, ret);
}

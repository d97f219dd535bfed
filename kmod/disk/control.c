// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink commands for attached disks: attach, detach, change settings, change paths, acknowledge a
 * loss, list.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/sched/signal.h>

#include "../core/netlink/netlink.h"
#include "../core/session/client/path_change.h"
#include "attach_request.h"
#include "disk.h"

#define CW_OPENERS_TIMEOUT (3 * HZ)

/* Finds the disk of CW_A_SERVER and CW_A_NAME. NULL: no such disk; the refusal is in extack. */
static struct cw_disk *cw_attachment_find(struct genl_info *info)
{
	struct cw_disk *disk;
	const char *server, *name;

	lockdep_assert_held(&cw_disks_lock);
	if (!info->attrs[CW_A_SERVER] || !info->attrs[CW_A_NAME]) {
		cw_refuse(info->extack, "a server and an export must be named");
		return NULL;
	}
	server = nla_data(info->attrs[CW_A_SERVER]);
	name = nla_data(info->attrs[CW_A_NAME]);
	list_for_each_entry(disk, &cw_disks, entry)
		if (!disk->removing && !strcmp(disk->session->config.server, server) &&
		    !strcmp(disk->session->config.name, name))
			return disk;
	cw_refuse(info->extack, "%s/%s is not attached", server, name);
	return NULL;
}

/* For the administrator: the server may keep a disk that is gone from this host. */
struct kept_text {
	char text[256];
};

/*
 * Removes @disk. Sets @kept to an empty text, or if the server may keep the disk for this host, to
 * a text that reports this and how to end it (docs/PROTOCOL.md section 5, rule 26).
 */
static void cw_attachment_forget(struct cw_disk *disk, bool force, struct kept_text *kept)
{
	struct cw_session *s = disk->session;
	char name[CW_WIRE_NAME];
	u8 host[CW_WIRE_UUID];

	strscpy(name, s->config.name, sizeof(name));
	memcpy(host, s->config.host, sizeof(host));
	mutex_lock(&cw_disks_lock);
	list_del(&disk->entry);
	mutex_unlock(&cw_disks_lock);
	kept->text[0] = '\0';
	if (cw_disk_remove(disk, force)) /* @disk may be freed */
		snprintf(kept->text, sizeof(kept->text),
			 "the server may still keep the disk for this host; to end that, run on the server: causeway export evict %s --host %pU",
			 name, host);
}

static int cw_attachment_reply_attached(struct genl_info *info, const char *name)
{
	struct sk_buff *msg;
	void *hdr;

	msg = cw_reply_start(info, CW_C_ATTACH, &hdr);
	if (!msg)
		return -ENOMEM;
	if (!hdr || nla_put_string(msg, CW_A_DISK, name)) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	return cw_reply_send(msg, hdr, info);
}

/* Waits until the session has a block device. On an error, sets @reason. May sleep. */
static int cw_attachment_wait_until_added(struct cw_disk *disk, char *reason, size_t size)
{
	long left = wait_for_completion_killable_timeout(&disk->added, 60 * HZ);
	int ret = left > 0 ? disk->add_error : left ?: -ETIMEDOUT;

	if (ret == -ETIMEDOUT)
		cw_session_reason(disk->session, reason);
	if (ret && (ret != -ETIMEDOUT || !reason[0]))
		snprintf(reason, size, "no block device could be made (error %d)", -ret);
	return ret;
}

static int cw_attach(struct sk_buff *skb, struct genl_info *info)
{
	bool wait = !info->attrs[CW_A_BACKGROUND];
	struct cw_session_config *config;
	char name[DISK_NAME_LEN];
	char reason[160] = "";
	struct kept_text kept;
	struct cw_session *s;
	struct cw_disk *disk;
	int ret;

	config = kzalloc(sizeof(*config), GFP_KERNEL);
	if (!config)
		return -ENOMEM;
	ret = cw_attach_take(info, config);
	if (ret)
		goto free_config;
	ret = -ENOMEM;
	disk = cw_disk_create();
	if (!disk)
		goto free_config;
	s = cw_session_create(config, &cw_disk_client_ops, disk);
	if (IS_ERR(s)) {
		ret = PTR_ERR(s);
		if (ret == -EEXIST)
			cw_refuse(info->extack, "%s/%s is attached already", config->server,
				  config->name);
		cw_disk_discard(disk);
		goto free_config;
	}
	disk->session = s;
	disk->policy = config->path_policy;
	mutex_lock(&cw_disks_lock);
	disk->removing = true; /* cw_attachment_find() skips the disk until attach has finished */
	list_add_tail(&disk->entry, &cw_disks);
	mutex_unlock(&cw_disks_lock);

	ret = cw_session_start(s, wait, reason);
	if (!ret && wait)
		ret = cw_attachment_wait_until_added(disk, reason, sizeof(reason));
	if (ret) {
		cw_attachment_forget(disk, false, &kept);
		cw_refuse(info->extack, "%s%s%s", reason, kept.text[0] ? "; " : "", kept.text);
		goto free_config;
	}
	mutex_lock(&cw_disks_lock);
	disk->removing = false;
	strscpy(name, disk->name, sizeof(name)); /* the disk may be detached after the unlock */
	mutex_unlock(&cw_disks_lock);
	ret = cw_attachment_reply_attached(info, name);

free_config:
	kfree_sensitive(config);
	return ret;
}

/*
 * True if the device has no opener. Waits up to CW_OPENERS_TIMEOUT for openers to go: udev opens a
 * device for a moment whenever a writer has closed it.
 */
static bool cw_attachment_is_unused(struct cw_disk *disk)
{
	unsigned long deadline = jiffies + CW_OPENERS_TIMEOUT;

	if (!disk->device_added)
		return true;
	while (disk_openers(disk->gendisk)) {
		if (time_after(jiffies, deadline) || fatal_signal_pending(current))
			return false;
		msleep(20);
	}
	return true;
}

static int cw_attachment_reply_detached(struct genl_info *info, const struct kept_text *kept)
{
	struct sk_buff *msg;
	void *hdr;

	msg = cw_reply_start(info, CW_C_DETACH, &hdr);
	if (!msg)
		return -ENOMEM;
	if (!hdr || (kept->text[0] && nla_put_string(msg, CW_A_TEXT, kept->text))) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	return cw_reply_send(msg, hdr, info);
}

static int cw_detach(struct sk_buff *skb, struct genl_info *info)
{
	struct kept_text kept;
	struct cw_disk *disk;

	mutex_lock(&cw_disks_lock);
	disk = cw_attachment_find(info);
	if (disk)
		disk->removing = true; /* cw_attachment_find() skips the disk from here on */
	mutex_unlock(&cw_disks_lock);
	if (!disk)
		return -ENOENT;
	if (!info->attrs[CW_A_FORCE] && !cw_attachment_is_unused(disk)) {
		cw_refuse(info->extack,
			  "%s is in use (%d openers): unmount what is on it, or detach with --force",
			  disk->name, disk_openers(disk->gendisk));
		mutex_lock(&cw_disks_lock);
		disk->removing = false;
		mutex_unlock(&cw_disks_lock);
		return -EBUSY;
	}
	cw_attachment_forget(disk, info->attrs[CW_A_FORCE], &kept);
	return cw_attachment_reply_detached(info, &kept);
}

static int cw_acknowledge(struct sk_buff *skb, struct genl_info *info)
{
	struct cw_disk *disk;
	int ret = 0;

	mutex_lock(&cw_disks_lock);
	disk = cw_attachment_find(info);
	if (!disk) {
		ret = -ENOENT;
	} else if (!cw_disk_has_loss(disk)) {
		cw_refuse(info->extack, "%s has lost nothing that is not acknowledged", disk->name);
		ret = -EALREADY;
	} else {
		cw_disk_acknowledge(disk);
		pr_info("causeway: %s: the loss is acknowledged, flushes pass again\n", disk->name);
	}
	mutex_unlock(&cw_disks_lock);
	return ret;
}

/* Returns the session with a reference for the caller; NULL: the refusal is in extack. */
static struct cw_session *cw_attachment_session(struct genl_info *info)
{
	struct cw_session *s = NULL;
	struct cw_disk *disk;

	mutex_lock(&cw_disks_lock);
	disk = cw_attachment_find(info);
	if (disk) {
		s = disk->session;
		kref_get(&s->users);
	}
	mutex_unlock(&cw_disks_lock);
	return s;
}

static int cw_attach_set_session(struct cw_session *s, struct genl_info *info)
{
	struct cw_session_change *change;
	int ret;

	change = kzalloc(sizeof(*change), GFP_KERNEL);
	if (!change)
		return -ENOMEM;
	ret = cw_attach_take_change(info, change);
	if (!ret)
		ret = cw_session_set(s, change);
	if (!ret && change->what & CW_CHANGE_PATH_POLICY) {
		/*
		 * An operation that saw the old policy may have chosen a path behind the change.
		 * All hardware queues get their path again when such operations have ended.
		 */
		synchronize_rcu();
		ret = cw_session_apply_again(s);
	}
	if (ret == -ESHUTDOWN)
		cw_refuse(info->extack, "%s/%s is being detached", s->config.server,
			  s->config.name);
	kfree_sensitive(change);
	return ret;
}

static int cw_attach_set(struct sk_buff *skb, struct genl_info *info)
{
	struct cw_session *s = cw_attachment_session(info);
	int ret;

	if (!s)
		return -ENOENT;
	ret = cw_attach_set_session(s, info);
	cw_session_put(s);
	return ret;
}

/* ---- paths ---- */

/* Returns the number of the path, or -errno. */
static int cw_path_add_to(struct cw_session *s, struct genl_info *info)
{
	static DEFINE_MUTEX(adding); /* the chosen number stays free, the addresses distinct */
	struct cw_session_config *config;
	char reason[CW_REASON_SIZE];
	int number, ret;
	u8 i;

	config = kzalloc(sizeof(*config), GFP_KERNEL);
	if (!config)
		return -ENOMEM;
	mutex_lock(&adding);
	for (i = 0; i < CW_WIRE_PATHS; i++)
		cw_session_path_config(s, i, &config->paths[i]);
	number = cw_attach_take_added_path(info, config);
	if (number >= 0) {
		ret = cw_session_add_path(s, &config->paths[number], number, reason);
		if (ret) {
			cw_refuse(info->extack, "%s", reason);
			number = ret;
		}
	}
	mutex_unlock(&adding);
	kfree(config);
	return number;
}

static int cw_path_add(struct sk_buff *skb, struct genl_info *info)
{
	struct cw_session *s = cw_attachment_session(info);
	struct sk_buff *msg;
	void *hdr = NULL;
	int ret;

	if (!s)
		return -ENOENT;
	/* The message comes first: a path that was added without a reply would look refused. */
	msg = cw_reply_start(info, CW_C_PATH_ADD, &hdr);
	ret = !msg ? -ENOMEM : !hdr ? -EMSGSIZE : cw_path_add_to(s, info);
	cw_session_put(s);
	if (ret < 0 || WARN_ON_ONCE(nla_put_u32(msg, CW_A_ID, ret))) {
		nlmsg_free(msg);
		return min(ret, 0);
	}
	return cw_reply_send(msg, hdr, info);
}

static int cw_path_remove(struct sk_buff *skb, struct genl_info *info)
{
	char reason[CW_REASON_SIZE];
	struct cw_session *s;
	int ret;

	if (!info->attrs[CW_A_ID]) {
		cw_refuse(info->extack, "the number of the path must be named");
		return -EINVAL;
	}
	s = cw_attachment_session(info);
	if (!s)
		return -ENOENT;
	ret = cw_session_remove_path(s, nla_get_u32(info->attrs[CW_A_ID]), reason);
	if (ret)
		cw_refuse(info->extack, "%s", reason);
	cw_session_put(s);
	return ret;
}

/* ---- the list ---- */

/* @first: only the address of the first path */
static int cw_attachment_put_paths(struct sk_buff *skb, struct cw_session *s, bool first)
{
	struct cw_path_config path;
	struct nlattr *nest;
	u8 i;

	for (i = 0; i < CW_WIRE_PATHS; i++) {
		if (!cw_session_path_config(s, i, &path))
			continue;
		if (first)
			return cw_put_address(skb, CW_A_ADDRESS, &path.address);
		nest = nla_nest_start(skb, CW_A_DISK_PATH);
		if (!nest || nla_put_u32(skb, CW_A_ID, i) ||
		    cw_put_address(skb, CW_A_ADDRESS, &path.address) ||
		    cw_put_address(skb, CW_A_LOCAL_ADDRESS, &path.local) ||
		    nla_put_u8(skb, CW_A_TRANSPORT, path.transport))
			return -EMSGSIZE;
		nla_nest_end(skb, nest);
	}
	return 0;
}

static int cw_attachment_put(struct sk_buff *skb, void *object, bool secrets)
{
	const struct cw_disk *disk = object;
	const struct cw_geometry *geo = &disk->geo;
	struct cw_session *s = disk->session;
	u16 refusal = READ_ONCE(s->refusal);
	char reason[sizeof(s->reason)];

	cw_session_reason(s, reason);
	if (nla_put_string(skb, CW_A_SERVER, s->config.server) ||
	    nla_put_string(skb, CW_A_NAME, s->config.name) ||
	    nla_put_string(skb, CW_A_DISK, disk->name) ||
	    cw_attachment_put_paths(skb, s, true) || cw_attachment_put_paths(skb, s, false) ||
	    (reason[0] && nla_put_string(skb, CW_A_REASON, reason)) ||
	    (secrets && nla_put(skb, CW_A_HOST, CW_WIRE_UUID, s->config.host)) ||
	    (refusal && nla_put_u16(skb, CW_A_REFUSAL, refusal)) ||
	    nla_put_u8(skb, CW_A_STATE, cw_session_shown_state(s)) ||
	    nla_put_u32(skb, CW_A_IO_TIMEOUT, s->config.io_timeout) ||
	    nla_put_u32(skb, CW_A_FAST_FAIL, s->config.fast_fail) ||
	    nla_put_u16(skb, CW_A_POLL_QUEUES, s->config.poll_queues) ||
	    nla_put_u8(skb, CW_A_PATH_POLICY, s->config.path_policy) ||
	    (s->config.key.len && nla_put_flag(skb, CW_A_HAS_KEY)) ||
	    (cw_disk_has_loss(disk) && nla_put_flag(skb, CW_A_LOSS)) ||
	    nla_put_u32(skb, CW_A_OPENERS, disk->device_added ? disk_openers(disk->gendisk) : 0))
		return -EMSGSIZE;
	if (!disk->device_added)
		return 0;
	if (nla_put_u64_64bit(skb, CW_A_SIZE, geo->size, CW_A_PAD) ||
	    nla_put_u32(skb, CW_A_BLOCK_SIZE, geo->logical_block) ||
	    nla_put_u32(skb, CW_A_PHYSICAL_BLOCK, geo->physical_block) ||
	    nla_put_u16(skb, CW_A_QUEUES, disk->tags.nr_hw_queues) ||
	    nla_put_u16(skb, CW_A_DEPTH, disk->tags.queue_depth) ||
	    (secrets && nla_put(skb, CW_A_IDENTITY, CW_WIRE_UUID, s->identity)) ||
	    ((geo->flags & CW_EXPORT_READ_ONLY) && nla_put_flag(skb, CW_A_READ_ONLY)) ||
	    ((geo->flags & CW_EXPORT_VOLATILE) && nla_put_flag(skb, CW_A_VOLATILE)) ||
	    ((geo->flags & CW_EXPORT_DISCARD) && nla_put_flag(skb, CW_A_DISCARD)) ||
	    ((geo->flags & CW_EXPORT_WRITE_ZEROES) && nla_put_flag(skb, CW_A_WRITE_ZEROES)))
		return -EMSGSIZE;
	return 0;
}

static int cw_attachment_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct cw_disk *disk;
	int ret = 0;
	long i = 0;

	mutex_lock(&cw_disks_lock);
	list_for_each_entry(disk, &cw_disks, entry) {
		if (i++ < cb->args[0])
			continue;
		ret = cw_dump_object(skb, cb, CW_C_ATTACHMENT_GET, cw_attachment_put, disk);
		if (ret)
			break;
		cb->args[0] = i;
	}
	mutex_unlock(&cw_disks_lock);
	return cw_dump_result(skb, ret);
}

static const struct cw_netlink_handler cw_disk_handlers[] = {
	{ .cmd = CW_C_ATTACH, .doit = cw_attach },
	{ .cmd = CW_C_DETACH, .doit = cw_detach },
	{ .cmd = CW_C_ACKNOWLEDGE, .doit = cw_acknowledge },
	{ .cmd = CW_C_ATTACH_SET, .doit = cw_attach_set },
	{ .cmd = CW_C_PATH_ADD, .doit = cw_path_add },
	{ .cmd = CW_C_PATH_REMOVE, .doit = cw_path_remove },
	{ .cmd = CW_C_ATTACHMENT_GET, .dumpit = cw_attachment_dump },
};

int cw_disk_control_init(void)
{
	return cw_netlink_register(THIS_MODULE, cw_disk_handlers, ARRAY_SIZE(cw_disk_handlers));
}

void cw_disk_control_exit(void)
{
	struct kept_text kept; /* unused: the kernel log has the text */
	struct cw_disk *disk;

	cw_netlink_unregister(cw_disk_handlers, ARRAY_SIZE(cw_disk_handlers));
	/* The devices have no openers: openers would have kept the module loaded. */
	while ((disk = list_first_entry_or_null(&cw_disks, struct cw_disk, entry)))
		cw_attachment_forget(disk, false, &kept);
}

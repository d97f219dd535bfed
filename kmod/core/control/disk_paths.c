// SPDX-License-Identifier: GPL-2.0-only
#include "../link/factory.h"
#include "../netlink/netlink.h"
#include "../session/client/path_list.h"
#include "disk_paths.h"

static enum cw_disk_path_state cw_dump_path_state(const struct cw_path *p)
{
	switch (p->state) {
	case CW_PATH_CONNECTING:
		return CW_DISK_PATH_CONNECTING;
	case CW_PATH_LIVE:
		return p->leaving ? CW_DISK_PATH_ENDING : CW_DISK_PATH_LIVE;
	case CW_PATH_DYING:
	case CW_PATH_REMOVED:
		return CW_DISK_PATH_ENDING;
	default:
		return CW_DISK_PATH_DOWN;
	}
}

/* The connection of a live path does not change while session->lock is held. */
static int cw_dump_put_connection(struct sk_buff *skb, const struct cw_path *p)
{
	if (nla_put_string(skb, CW_A_DEVICE, p->device) ||
	    nla_put_u8(skb, CW_A_DEVICE_PORT, p->device_port) ||
	    cw_put_address(skb, CW_A_LOCAL_ADDRESS, &p->local_address) ||
	    nla_put_u16(skb, CW_A_QUEUES, p->nr_links))
		return -EMSGSIZE;
	return 0;
}

static int cw_dump_put_path_reason(struct sk_buff *skb, const struct cw_path *p)
{
	struct cw_session *s = p->session;
	int ret = 0;

	mutex_lock(&s->reason_lock);
	if (p->reason[0] && (nla_put_string(skb, CW_A_REASON, p->reason) ||
			     nla_put_s32(skb, CW_A_ERROR, p->error)))
		ret = -EMSGSIZE;
	mutex_unlock(&s->reason_lock);
	return ret;
}

static int cw_dump_put_fence(struct sk_buff *skb, const struct cw_path *p)
{
	u32 commands = READ_ONCE(p->fence_commands);

	if (nla_put_u32(skb, CW_A_LOSSES, p->losses) || nla_put_u32(skb, CW_A_FENCES, p->fences) ||
	    nla_put_u64_64bit(skb, CW_A_FENCE_TIME, p->fence_ns, CW_A_PAD))
		return -EMSGSIZE;
	if (!p->fence.epoch)
		return 0;
	if (nla_put_flag(skb, CW_A_FENCING) ||
	    (commands && nla_put_u32(skb, CW_A_FENCE_COMMANDS, commands)))
		return -EMSGSIZE;
	return 0;
}

/* Only while the session is live: before that, the paths take turns to log in. */
static int cw_dump_put_next_join(struct sk_buff *skb, const struct cw_path *p)
{
	const struct cw_session *s = p->session;

	if (s->state != CW_STATE_LIVE || !(s->features & CW_FEATURE_PATHS) ||
	    p->state != CW_PATH_DOWN || p->fence.epoch)
		return 0;
	return nla_put_u32(skb, CW_A_RETRY_IN, time_before(jiffies, p->retry_at) ?
						       jiffies_to_msecs(p->retry_at - jiffies) :
						       0);
}

static int cw_dump_put_path(struct sk_buff *skb, struct cw_path *p)
{
	struct cw_session *s = p->session;
	bool live = p->state == CW_PATH_LIVE;
	int ret;

	lockdep_assert_held(&s->lock);
	if (nla_put_u32(skb, CW_A_ID, p->number) ||
	    cw_put_address(skb, CW_A_ADDRESS, &p->address) ||
	    nla_put_u8(skb, CW_A_TRANSPORT, p->factory->transport) ||
	    nla_put_u8(skb, CW_A_PATH_STATE, cw_dump_path_state(p)) ||
	    nla_put_u32(skb, CW_A_ATTEMPTS, p->attempts))
		return -EMSGSIZE;
	ret = live ? cw_dump_put_connection(skb, p) :
		     cw_put_address(skb, CW_A_LOCAL_ADDRESS, &p->local);
	if (!ret && live && s->ops->carries_io && s->ops->carries_io(s, p))
		ret = nla_put_flag(skb, CW_A_CARRIES_IO);
	return ret ?:
	       cw_dump_put_path_reason(skb, p) ?:
	       cw_dump_put_fence(skb, p) ?:
	       cw_dump_put_next_join(skb, p);
}

int cw_dump_put_paths(struct sk_buff *skb, struct cw_session *s)
{
	struct nlattr *nest;
	unsigned int i;
	int ret = 0;

	lockdep_assert_held(&s->lock);
	for (i = 0; i < s->nr_paths && !ret; i++) {
		/* The writes of a removed path may wait for its fence, which users must see. */
		if (cw_path_is_removed(s->paths[i]) && !s->paths[i]->fence.epoch)
			continue;
		nest = nla_nest_start(skb, CW_A_DISK_PATH);
		ret = nest ? cw_dump_put_path(skb, s->paths[i]) : -EMSGSIZE;
		if (!ret)
			nla_nest_end(skb, nest);
	}
	return ret;
}

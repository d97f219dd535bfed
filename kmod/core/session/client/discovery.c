// SPDX-License-Identifier: GPL-2.0-only
/*
 * Discovery: a session that never logs in, and needs the control link alone.
 */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/slab.h>

#include "login.h"

#define CW_DISCOVER_MAX 4096

static int cw_client_discover_page(struct cw_path *p, u32 first,
				   int (*each)(void *arg, const struct cw_export_info *info),
				   void *arg, u32 *got, u16 *more)
{
	struct cw_wire_discover ask = {
		.magic = cpu_to_le32(CW_WIRE_MAGIC),
		.version = cpu_to_le16(CW_WIRE_VERSION),
		.first = cpu_to_le32(first),
	};
	struct cw_export_info info;
	struct cw_letter *letter;
	size_t i;
	int ret;

	p->asked_at = jiffies;
	ret = cw_path_send(p, CW_MSG_DISCOVER, &ask, sizeof(ask));
	if (ret)
		return ret;
	letter = cw_path_expect(p, NULL, CW_MSG_EXPORTS, "the list of exports");
	if (IS_ERR(letter))
		return PTR_ERR(letter);
	*more = 0;
	for (i = 0; !(ret = cw_parse_export(letter->data, letter->len, i, &info)); i++) {
		*more = info.more;
		ret = each(arg, &info);
		if (ret)
			break;
	}
	if (ret == -EPROTO)
		cw_path_say(p, ret, "the server's list of exports is malformed (%d)", ret);
	*got = i;
	kfree(letter);
	return ret == -ENOENT ? 0 : ret;
}

int cw_client_discover(const struct cw_path_config *path, u32 timeout_ms,
		       int (*each)(void *arg, const struct cw_export_info *info), void *arg,
		       char *reason)
{
	struct cw_session *s = kvzalloc(sizeof(*s), GFP_KERNEL);
	struct cw_path *p;
	u32 first = 0, got;
	u16 more;
	int ret;

	if (!s)
		return -ENOMEM;
	s->config.nr_paths = 1;
	s->config.paths[0] = *path;
	s->config.connect_timeout = timeout_ms;
	cw_session_init(s);
	if (cw_session_make_paths(s)) {
		kvfree(s);
		return -ENOMEM;
	}
	p = s->paths[0];
	ret = cw_path_connect_control(p);
	while (!ret) {
		ret = cw_client_discover_page(p, first, each, arg, &got, &more);
		first += got;
		/*
		 * CW_DISCOVER_MAX bounds the list, however many exports the server claims to have.
		 */
		if (ret || !more || !got || first >= CW_DISCOVER_MAX)
			break;
	}
	if (p->control)
		cw_link_free(p->control);
	cw_session_cancel(s);
	cw_path_empty(p);
	memcpy(reason, s->reason, sizeof(s->reason));
	cw_path_free(p);
	kvfree(s);
	return ret;
}

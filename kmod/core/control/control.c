// SPDX-License-Identifier: GPL-2.0-only
/* The table of the netlink commands that the core itself serves. */
#include <linux/module.h>

#include "control.h"
#include "sessions.h"

static const struct cw_netlink_handler cw_core_handlers[] = {
	{ .cmd = CW_C_SESSION_GET, .dumpit = cw_dump_sessions },
	{ .cmd = CW_C_STAT_GET, .dumpit = cw_dump_stats },
	{ .cmd = CW_C_DISCOVER, .doit = cw_discover },
};

int cw_control_init(void)
{
	int ret;

	ret = cw_netlink_register(THIS_MODULE, cw_core_handlers, ARRAY_SIZE(cw_core_handlers));
	if (ret)
		return ret;
	return cw_netlink_init();
}

void cw_control_exit(void)
{
	cw_netlink_exit();
}

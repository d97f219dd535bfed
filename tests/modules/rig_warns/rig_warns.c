// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A module that misbehaves on purpose: the rig's own tests prove with it that
 * a warning and a leak do fail a scenario.
 */
#include <linux/module.h>
#include <linux/slab.h>

static bool leak;
module_param(leak, bool, 0444);
MODULE_PARM_DESC(leak, "lose memory instead of warning");

static int __init rig_warns_init(void)
{
	int i;

	if (!leak) {
		WARN(1, "asked to warn\n");
		return 0;
	}
	/* Several, so that no stale pointer on a stack hides them all. */
	for (i = 0; i < 16; i++) {
		char *lost = kmalloc(1000, GFP_KERNEL);

		if (lost)
			lost[0] = 0;
	}
	return 0;
}

static void __exit rig_warns_exit(void)
{
}

module_init(rig_warns_init);
module_exit(rig_warns_exit);
MODULE_DESCRIPTION("Misbehaves on purpose, for the test rig's own tests");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who this machine is: the boot ID, and numbers that nobody can guess.
 */
#include <linux/random.h>
#include <linux/uuid.h>

#include "boot.h"

static u8 boot[CW_WIRE_UUID];

/*
 * One per load of the module: what it holds in memory ends with it, which is all that a peer asks
 * of a boot.
 */
const u8 *cw_identity_boot(void)
{
	return boot;
}

void cw_identity_init(void)
{
	generate_random_uuid(boot);
}

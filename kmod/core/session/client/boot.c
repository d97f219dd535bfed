// SPDX-License-Identifier: GPL-2.0-only
/*
 * The boot of this host: a random UUID.
 */
#include <linux/random.h>
#include <linux/uuid.h>

#include "boot.h"

static u8 boot[CW_WIRE_UUID];

/*
 * There is one UUID per load of the module, because the module's state in memory ends with it. A
 * peer needs a boot for nothing else.
 */
const u8 *cw_identity_boot(void)
{
	return boot;
}

void cw_identity_init(void)
{
	generate_random_uuid(boot);
}

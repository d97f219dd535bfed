/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CW_BOOT_H
#define CW_BOOT_H

#include "../../../../include/wire/causeway_wire.h"

/* Returns the UUID of this load of the module, which peers receive as the boot. */
const u8 *cw_identity_boot(void);
void cw_identity_init(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CW_BOOT_H
#define CW_BOOT_H

#include "../../../../include/wire/causeway_wire.h"

/* UUID of this life of the module, told to peers as the boot. */
const u8 *cw_identity_boot(void);
void cw_identity_init(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CW_BOOT_H
#define CW_BOOT_H

#include "../../../../include/wire/causeway_wire.h"

/**
 * cw_identity_boot() - returns the UUID of this load of the module, which peers receive as the boot
 *
 * Context: Any context, after cw_identity_init().
 * Return: CW_WIRE_UUID bytes, which do not change.
 */
const u8 *cw_identity_boot(void);
/**
 * cw_identity_init() - makes the UUID that cw_identity_boot() returns
 *
 * Context: Process context, when the module is loaded.
 */
void cw_identity_init(void);

#endif

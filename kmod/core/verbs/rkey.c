// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
#include "rkey.h"

u8 cw_next_key(u32 rkey, u32 random)
{
	return (u8)(rkey + 1 + random % 255);
}

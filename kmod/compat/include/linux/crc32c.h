/* SPDX-License-Identifier: GPL-2.0-only */
#include "causeway_answers.h"

#if CAUSEWAY_HAS_CRC32C_HEADER
#include_next <linux/crc32c.h>
#else
#include <linux/crc32.h>
#endif

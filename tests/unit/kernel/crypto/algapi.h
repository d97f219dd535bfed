/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <string.h>

static inline int crypto_memneq(const void *a, const void *b, size_t len)
{
	return memcmp(a, b, len);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <string.h>

static inline void memzero_explicit(void *data, size_t len)
{
	explicit_bzero(data, len);
}

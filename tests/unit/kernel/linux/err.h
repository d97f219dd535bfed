/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

static inline void *ERR_PTR(long error)
{
	return (void *)(intptr_t)error;
}

static inline long PTR_ERR(const void *pointer)
{
	return (long)(intptr_t)pointer;
}

static inline bool IS_ERR(const void *pointer)
{
	return (uintptr_t)pointer >= (uintptr_t)-4095;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "causeway_answers.h"

/* Linux before 5.11 lacks linux/math.h, and declares its functions in linux/kernel.h. */
#if CAUSEWAY_HAS_MATH_HEADER
#include_next <linux/math.h>
#else
#include <linux/kernel.h>
#endif

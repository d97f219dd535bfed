/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
#ifndef CW_HISTOGRAM_H
#define CW_HISTOGRAM_H

#include "../../../include/uapi/causeway.h"
#include "../wire/integers.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The bucket of a latency of @ns nanoseconds, below CW_HISTOGRAM: bucket i counts [2^i, 2^(i+1)),
 * the first one 0 as well, the last one everything above. Any context.
 */
u32 cw_histogram_bucket(u64 ns);

#ifdef __cplusplus
}
#endif

#endif

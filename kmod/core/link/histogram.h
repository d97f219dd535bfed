/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
#ifndef CW_HISTOGRAM_H
#define CW_HISTOGRAM_H

#include "../../../include/uapi/causeway.h"
#include "../wire/integers.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * cw_histogram_bucket() - find the bucket of a latency
 * @ns: latency in nanoseconds
 *
 * Bucket i counts latencies from 2^i to below 2^(i+1). The first bucket counts 0 too, and the last
 * one every latency above it.
 *
 * Context: Any context.
 * Return: Number of the bucket, below CW_HISTOGRAM.
 */
u32 cw_histogram_bucket(u64 ns);

#ifdef __cplusplus
}
#endif

#endif

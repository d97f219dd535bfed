// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
/* Latency histograms: powers of two from one nanosecond to nine minutes. */
#include "histogram.h"

u32 cw_histogram_bucket(u64 ns)
{
	u32 log2;

	/* No number of leading zeroes is defined for 0. */
	log2 = 63 - (u32)__builtin_clzll(ns | 1);
	return log2 < CW_HISTOGRAM ? log2 : CW_HISTOGRAM - 1;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read by the kernel in the place of a header of tracepoints, once for each stage: so there is no
 * guard. __assign_str() is defined from the stage on that fills an event in. There the declaration
 * of a string, which names its source, copies the string too.
 */
#ifdef __assign_str
#undef __string
#define __string(item, src)							\
	__dynamic_array(char, item, -1)						\
	strcpy(__get_str(item), (src) ? (const char *)(src) : "(null)");
#undef __assign_str
#define __assign_str(dst)
#endif

#include "trace.h"

#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE causeway_trace

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel includes this header in the place of trace.h, once for each stage in which it
 * generates code (trace/define_trace.h), so there is no include guard. The kernel defines
 * __assign_str() only from the stage on that fills an event. From then on __string(), which names
 * the source of a string, also copies the string, and __assign_str() does nothing.
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

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read by the kernel in the place of a header of tracepoints, once for each stage: so there is no
 * guard. __assign_str() is there in the stage that fills an event in.
 */
#ifdef __assign_str
#undef __assign_str
#define __assign_str(dst, src) strcpy(__get_str(dst), (src) ? (const char *)(src) : "(null)")
#endif

#include "trace.h"

#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE causeway_trace

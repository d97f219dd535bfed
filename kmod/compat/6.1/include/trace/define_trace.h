/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints as Linux 6.1 has them. The kernel reads the header of tracepoints again for each of
 * its stages; where __assign_str() has changed it reads causeway_trace.h, which reads that header.
 */
#include "causeway_answers.h"

#if !CAUSEWAY_HAS_ASSIGN_STR_TWO && defined(CREATE_TRACE_POINTS)
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE causeway_trace
#endif

#include_next <trace/define_trace.h>

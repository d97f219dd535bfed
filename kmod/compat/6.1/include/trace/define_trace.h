/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's <trace/define_trace.h> includes a module's header of tracepoints (trace.h) several
 * times, once for each stage in which it generates code. On kernels whose __assign_str() takes two
 * arguments, this header makes it include causeway_trace.h instead: that one redefines
 * __assign_str(), so that it takes one argument, and then includes trace.h.
 */
#include "causeway_answers.h"

#if !CAUSEWAY_HAS_ASSIGN_STR_ONE && defined(CREATE_TRACE_POINTS)
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE causeway_trace
#endif

#include_next <trace/define_trace.h>

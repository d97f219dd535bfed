/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel reads the header of tracepoints again for each of its stages. Where __assign_str()
 * takes two arguments it reads causeway_trace.h, which reads that header.
 */
#include "causeway_answers.h"

#if !CAUSEWAY_HAS_ASSIGN_STR_ONE && defined(CREATE_TRACE_POINTS)
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE causeway_trace
#endif

#include_next <trace/define_trace.h>

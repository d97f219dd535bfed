/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints of a session at the client. They are in the same system as those of links.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM causeway

#if !defined(CW_CLIENT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define CW_CLIENT_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(cw_session_state,
	TP_PROTO(const char *server, const char *name, int from, int to),
	TP_ARGS(server, name, from, to),
	TP_STRUCT__entry(
		__string(server, server)
		__string(name, name)
		__field(int, from)
		__field(int, to)
	),
	TP_fast_assign(
		__assign_str(server);
		__assign_str(name);
		__entry->from = from;
		__entry->to = to;
	),
	TP_printk("%s/%s state %d -> %d", __get_str(server), __get_str(name), __entry->from,
		  __entry->to)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
